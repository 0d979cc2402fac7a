'use strict';
// A third-party cache that sweeps all its entries in a timer of its own.
const truth = require('../../../kit/truth.cjs');

class SlowCache {
  constructor({ sweepAfterMs }) {
    this.entries = Array.from({ length: 30_000 }, (_, index) => ({ key: `k${index}`, expires: index % 977 }));
    setTimeout(() => {
      truth.begin();
      const until = performance.now() + 400;
      while (performance.now() < until) this.sweep();
      truth.end();
    }, sweepAfterMs);
  }

  // <culprit>
  sweep() {
    let live = 0;
    for (const entry of this.entries) {
      if (entry.expires * 2 > 500 && entry.key.charCodeAt(1) !== 55) live += 1;
    }
    this.live = live;
  }
  // </culprit>
}

module.exports = { SlowCache };
