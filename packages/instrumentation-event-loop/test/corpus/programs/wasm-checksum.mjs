/**
 * A checksum in WebAssembly runs over its input again and again.
 * @culprit checksumOf
 * @cause javascript native
 * @parent verify-archive
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// (func (export "spin") (param i32) (result i32) (local i32)
//   (loop (local.set 1 (i32.add (i32.mul (local.get 1) (i32.const 31)) (local.get 0)))
//         (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
//   (local.get 1))
const bytes = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x06, 0x01, 0x60, 0x01, 0x7f, 0x01, 0x7f, 0x03, 0x02, 0x01,
  0x00, 0x07, 0x08, 0x01, 0x04, 0x73, 0x70, 0x69, 0x6e, 0x00, 0x00, 0x0a, 0x1e, 0x01, 0x1c, 0x01, 0x01, 0x7f, 0x03,
  0x40, 0x20, 0x01, 0x41, 0x1f, 0x6c, 0x20, 0x00, 0x6a, 0x21, 0x01, 0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00, 0x0d,
  0x00, 0x0b, 0x20, 0x01, 0x0b,
]);
const { instance } = await WebAssembly.instantiate(bytes);

// <culprit>
function checksumOf(rounds) {
  return instance.exports.spin(rounds);
}
// </culprit>

const started = performance.now();
checksumOf(20_000_000);
const rounds = Math.min(2 ** 31 - 1, Math.ceil((20_000_000 * 450) / (performance.now() - started)));

await trace.getTracer('archives').startActiveSpan('verify-archive', async (span) => {
  await sleep(300);
  truth.begin();
  checksumOf(rounds);
  truth.end();
  span.end();
});
