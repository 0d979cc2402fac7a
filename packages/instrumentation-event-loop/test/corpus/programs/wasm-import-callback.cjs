'use strict';
/**
 * A module of WebAssembly calls a function of the application for each item: a filter of a plug-in.
 * @culprit onItem
 * @cause javascript
 * @parent plug-in
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// (import "host" "item" (func (param i32)))
// (func (export "run") (param i32) (local i32) loop … call 0 … br_if 0 end)
const bytes = Uint8Array.from([
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 1, 127, 0],
  ...[2, 13, 1, 4, 104, 111, 115, 116, 4, 105, 116, 101, 109, 0, 0],
  ...[3, 2, 1, 0, 7, 7, 1, 3, 114, 117, 110, 0, 1],
  ...[10, 25, 1, 23, 1, 1, 127, 3, 64, 32, 1, 16, 0, 32, 1, 65, 1, 106, 34, 1, 32, 0, 72, 13, 0, 11, 11],
]);

let checksum = 0;

// <culprit>
function onItem(item) {
  for (let byte = 0; byte < 20_000; byte += 1) checksum = (checksum * 31 + item + byte) % 65_521;
}
// </culprit>

const { run } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { host: { item: onItem } }).exports;

trace.getTracer('plug-ins').startActiveSpan('plug-in', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) run(50);
    truth.end();
    span.end();
  }, 300);
});
