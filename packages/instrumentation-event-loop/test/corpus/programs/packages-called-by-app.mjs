/**
 * A third-party validator does the work; the application's function that gave it so much is the culprit.
 * @culprit validateTask
 * @cause javascript gc native
 * @parent create-task
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { array, object, string } from 'slow-validator';
import truth from '../kit/truth.cjs';

const schema = array(object({ title: string(), owner: object({ name: string(), mail: string() }) }));
const task = Array.from({ length: 3000 }, (_, id) => ({ title: `t${id}`, owner: { name: 'n', mail: `m${id}@x.org` } }));

// <culprit>
function validateTask(steps) {
  const until = performance.now() + 400;
  let issues = [];
  while (performance.now() < until) issues = schema.check(steps);
  return issues;
}
// </culprit>

await trace.getTracer('tasks').startActiveSpan('create-task', async (span) => {
  await sleep(300);
  truth.begin();
  validateTask(task);
  truth.end();
  span.end();
});
