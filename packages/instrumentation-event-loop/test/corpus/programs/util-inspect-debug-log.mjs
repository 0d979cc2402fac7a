/**
 * A debug line inspects the whole request object before it is thrown away by the log level.
 * @culprit debug
 * @cause javascript gc native
 * @parent handle-webhook
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const request = { headers: {}, body: [] };
for (let index = 0; index < 2000; index += 1) {
  request.headers[`x-header-${index}`] = `value ${index}`;
  request.body.push({ id: index, nested: { list: [index, index + 1], at: new Date(index) } });
}

// <culprit>
function debug(label, value) {
  const text = `${label} ${inspect(value, { depth: 10, maxArrayLength: null })}`;
  return process.env.LOG_LEVEL === 'debug' ? text : undefined;
}
// </culprit>

await trace.getTracer('webhooks').startActiveSpan('handle-webhook', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) debug('webhook', request);
  truth.end();
  span.end();
});
