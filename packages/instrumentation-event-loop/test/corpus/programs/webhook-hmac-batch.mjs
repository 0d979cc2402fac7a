/**
 * The signatures of a batch of webhooks are checked one after the other, each with a short native call.
 * @culprit sign
 * @cause native javascript gc
 * @parent webhooks
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const secret = 'whsec_0123456789';
const events = Array.from({ length: 120_000 }, (_, id) => ({ id, body: `{"event":${id},"kind":"invoice.paid"}` }));

// <culprit>
function sign(body) {
  return createHmac('sha256', secret).update(body).digest();
}

function isGenuine(event) {
  return timingSafeEqual(sign(event.body), sign(event.body));
}

function verifyBatch(batch, until) {
  let genuine = 0;
  for (const event of batch) {
    if (isGenuine(event)) genuine += 1;
    if (performance.now() > until) break;
  }
  return genuine;
}
// </culprit>

await trace.getTracer('webhooks').startActiveSpan('webhooks', async (span) => {
  await sleep(300);
  truth.begin();
  verifyBatch(events, performance.now() + 400);
  truth.end();
  span.end();
});
