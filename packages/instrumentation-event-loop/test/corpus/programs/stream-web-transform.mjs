/**
 * A transform of web streams scores each row. All rows are there, so that the loop does not turn in between.
 * @culprit score
 * @cause javascript
 * @parent export
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
function score(row) {
  let total = row;
  for (let feature = 0; feature < 40_000; feature += 1) total = (total * 31 + feature) % 65_521;
  return total;
}
// </culprit>

const scored = new TransformStream({
  transform(row, controller) {
    controller.enqueue(score(row));
  },
});

await trace.getTracer('export').startActiveSpan('export', async (span) => {
  await sleep(300);
  let until = Infinity;
  const rows = new ReadableStream({
    pull(controller) {
      if (performance.now() >= until) controller.close();
      else controller.enqueue(7);
    },
  });
  truth.begin();
  until = performance.now() + 400;
  let total = 0;
  for await (const row of rows.pipeThrough(scored)) total += row;
  truth.end();
  span.setAttribute('total', total);
  span.end();
});
