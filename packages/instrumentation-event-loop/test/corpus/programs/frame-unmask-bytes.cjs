'use strict';
/**
 * A WebSocket implementation of its own unmasks a large message byte by byte.
 * @culprit unmask
 * @cause javascript
 * @parent message
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const payload = Buffer.alloc(24_000_000, 'payload ');
const mask = Buffer.from([0x12, 0x9f, 0x44, 0xc3]);

// <culprit>
function unmask(data, key) {
  const out = Buffer.alloc(data.length);
  for (let index = 0; index < data.length; index += 1) out[index] = data[index] ^ key[index % 4];
  return out;
}
// </culprit>

trace.getTracer('socket').startActiveSpan('message', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 350;
    while (performance.now() < until) unmask(payload, mask);
    truth.end();
    span.end();
  }, 300);
});
