/**
 * A cache is written to a snapshot with the serializer of V8, and read again to check it.
 * @culprit snapshot
 * @cause native javascript gc
 * @parent snapshot
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const cache = new Map(
  Array.from({ length: 150_000 }, (_, id) => [`key ${id}`, { id, tags: ['a', 'b'], at: new Date(id) }]),
);

// <culprit>
function snapshot(entries) {
  const bytes = serialize(entries);
  const copy = deserialize(bytes);
  if (copy.size !== entries.size) throw new Error('The snapshot is incomplete.');
  return bytes;
}
// </culprit>

await trace.getTracer('cache').startActiveSpan('snapshot', async (span) => {
  await sleep(300);
  truth.begin();
  snapshot(cache);
  truth.end();
  span.end();
});
