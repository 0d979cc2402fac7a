/**
 * Bytes of a file are looked at one by one after an awaited read.
 * @culprit entropyOf
 * @cause javascript
 * @parent inspect-upload
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
function entropyOf(bytes) {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] += 1;
  let entropy = 0;
  for (const count of counts) {
    if (count > 0) entropy -= (count / bytes.length) * Math.log2(count / bytes.length);
  }
  return entropy;
}
// </culprit>

await trace.getTracer('uploads').startActiveSpan('inspect-upload', async (span) => {
  await sleep(300);
  const bytes = Buffer.alloc(4 * 1024 * 1024, await readFile(fileURLToPath(import.meta.url)));
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) entropyOf(bytes);
  truth.end();
  span.end();
});
