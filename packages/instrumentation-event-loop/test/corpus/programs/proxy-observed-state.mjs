/**
 * A store wraps its state in proxies; one render reads it a few million times through the trap.
 * @culprit readTracked
 * @cause javascript
 * @parent store-update
 */
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const reads = new Map();

// <culprit>
function readTracked(target, key, receiver) {
  reads.set(key, (reads.get(key) ?? 0) + 1);
  const value = Reflect.get(target, key, receiver);
  return value !== null && typeof value === 'object' ? new Proxy(value, { get: readTracked }) : value;
}

function renderRows(state) {
  let text = 0;
  for (const row of state.rows) text += row.label.length + row.size.width;
  return text;
}
// </culprit>

const rows = Array.from({ length: 3000 }, (_, index) => ({ label: `row ${index}`, size: { width: index % 7 } }));
const state = new Proxy({ rows }, { get: readTracked });

trace.getTracer('ui').startActiveSpan('store-update', (span) => {
  setTimeout(() => {
    queueMicrotask(() => {
      truth.begin();
      const until = performance.now() + 400;
      while (performance.now() < until) renderRows(state);
      truth.end();
      span.end();
    });
  }, 300);
});
