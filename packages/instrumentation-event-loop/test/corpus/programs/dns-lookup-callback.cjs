'use strict';
/**
 * A block list is checked address by address once the name is resolved.
 * @culprit isBlocked
 * @cause javascript
 * @parent connect-peer
 * @resource GETADDRINFOREQWRAP
 */
const dns = require('node:dns');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const blockList = Array.from({ length: 60_000 }, (_, index) => ({
  base: (index * 2654435761) >>> 0,
  prefixLength: 16 + (index % 17),
}));

// <culprit>
function isBlocked(address) {
  const number = address.split('.').reduce((sum, part) => (sum * 256 + Number(part)) >>> 0, 0);
  let hits = 0;
  for (const { base, prefixLength } of blockList) {
    const mask = (0xffffffff << (32 - prefixLength)) >>> 0;
    if ((number & mask) >>> 0 === (base & mask) >>> 0) hits += 1;
  }
  return hits > 0;
}
// </culprit>

trace.getTracer('peers').startActiveSpan('connect-peer', (span) => {
  setTimeout(() => {
    dns.lookup('localhost', { family: 4 }, () => {
      truth.begin();
      const until = performance.now() + 400;
      for (let last = 0; performance.now() < until; last += 1) isBlocked(`10.0.${last & 255}.7`);
      truth.end();
      span.end();
    });
  }, 300);
});
