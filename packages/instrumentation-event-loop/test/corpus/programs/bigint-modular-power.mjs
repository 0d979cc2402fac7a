/**
 * A signature is checked with BigInt arithmetic of its own.
 * @culprit power
 * @cause javascript native gc
 * @parent verify-signature
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
function power(base, exponent, modulus) {
  let result = 1n;
  let factor = base % modulus;
  for (let bits = exponent; bits > 0n; bits >>= 1n) {
    if (bits & 1n) result = (result * factor) % modulus;
    factor = (factor * factor) % modulus;
  }
  return result;
}
// </culprit>

await trace.getTracer('auth').startActiveSpan('verify-signature', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  for (let message = 12345n; performance.now() < until; message += 1n) {
    power(message, 2n ** 512n - 569n, 2n ** 521n - 1n);
  }
  truth.end();
  span.end();
});
