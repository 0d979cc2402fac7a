/**
 * A deep tree of comments is walked by generators that delegate to one another, so that each comment climbs all levels.
 * @culprit walk
 * @cause javascript
 * @parent comments
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

let thread = { text: 'last', replies: [] };
for (let level = 0; level < 900; level += 1)
  thread = { text: `level ${level}`, replies: [{ text: 'leaf', replies: [] }, thread] };

// <culprit>
function* walk(comment) {
  yield comment;
  for (const reply of comment.replies) yield* walk(reply);
}

function countComments(root) {
  let count = 0;
  for (const { text } of walk(root)) if (text !== '') count += 1;
  return count;
}
// </culprit>

await trace.getTracer('forum').startActiveSpan('comments', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) countComments(thread);
  truth.end();
  span.end();
});
