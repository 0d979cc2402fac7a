'use strict';
/**
 * A cache evicts its oldest entry by sorting all entries, whenever a new one arrives.
 * @culprit evict
 * @cause javascript
 * @parent warm-up
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// <culprit>
class Cache {
  constructor(limit) {
    this.limit = limit;
    this.entries = new Map();
  }

  set(key, value) {
    this.entries.set(key, { value, usedAt: performance.now() });
    if (this.entries.size > this.limit) this.evict();
  }

  evict() {
    const [oldest] = [...this.entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)[0];
    this.entries.delete(oldest);
  }
}
// </culprit>

const cache = new Cache(2000);

trace.getTracer('cache').startActiveSpan('warm-up', (span) => {
  setTimeout(() => {
    truth.begin();
    for (let id = 0; id < 5000; id += 1) cache.set(`page ${id}`, id);
    truth.end();
    span.end();
  }, 300);
});
