/**
 * An async function blocks after several awaits, in its own span below another.
 * @culprit reconcile
 * @cause javascript
 * @parent reconcile-ledger
 */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const tracer = trace.getTracer('ledger');
const inSpan = (name, work) =>
  tracer.startActiveSpan(name, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });

async function loadEntries(side) {
  await turn();
  return Array.from({ length: 4000 }, (_, index) => ({ reference: `${(index * 7919) % 4000}`, amount: index, side }));
}

// <culprit>
function reconcile(left, right) {
  truth.begin();
  const until = performance.now() + 400;
  let matched = 0;
  do {
    for (const entry of left.slice(0, 300)) {
      if (right.findIndex(({ reference }) => reference === entry.reference) !== -1) matched += 1;
    }
  } while (performance.now() < until);
  truth.end();
  return matched;
}
// </culprit>

await inSpan('nightly', async () => {
  await sleep(300);
  const left = await loadEntries('debit');
  const right = await loadEntries('credit');
  await inSpan('reconcile-ledger', async () => {
    await null;
    return reconcile(left, right);
  });
});
