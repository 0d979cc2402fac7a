/**
 * A tenant gets its RSA keys in the request that creates it.
 * @culprit createTenantKeys
 * @cause native
 * @parent create-tenant
 */
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
function createTenantKeys() {
  const until = performance.now() + 400;
  const pairs = [];
  do {
    pairs.push(generateKeyPairSync('rsa', { modulusLength: 2048 }));
  } while (performance.now() < until);
  return pairs;
}
// </culprit>

await trace.getTracer('tenants').startActiveSpan('create-tenant', async (span) => {
  await sleep(300);
  truth.begin();
  createTenantKeys();
  truth.end();
  span.end();
});
