/**
 * Brotli at its highest quality, in an async function after an await.
 * @culprit precompress
 * @cause native javascript
 * @parent build-assets
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
async function precompress(file) {
  await sleep(300);
  const source = await readFile(file);
  truth.begin();
  const until = performance.now() + 400;
  const asset = Buffer.concat(Array.from({ length: 60 }, () => source));
  let size = 0;
  do {
    size = zlib.brotliCompressSync(asset).length;
  } while (performance.now() < until);
  truth.end();
  return size;
}
// </culprit>

await trace.getTracer('assets').startActiveSpan('build-assets', async (span) => {
  await precompress(fileURLToPath(import.meta.url));
  span.end();
});
