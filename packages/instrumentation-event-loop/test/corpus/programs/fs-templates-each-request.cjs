'use strict';
/**
 * A mail merge reads its template from disk again for every recipient.
 * @culprit render
 * @cause native javascript waiting gc
 * @parent newsletter
 * @resource Timeout
 */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'templates-'));
fs.writeFileSync(path.join(folder, 'mail.html'), '<p>Dear {name},</p>'.padEnd(20_000, ' text'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));

// <culprit>
function render(recipient) {
  const template = fs.readFileSync(path.join(folder, 'mail.html'), 'utf8');
  return template.replace('{name}', recipient).length;
}

function merge(until) {
  let bytes = 0;
  for (let id = 0; performance.now() < until; id += 1) bytes += render(`reader ${id}`);
  return bytes;
}
// </culprit>

trace.getTracer('mail').startActiveSpan('newsletter', (span) => {
  setTimeout(() => {
    truth.begin();
    merge(performance.now() + 450);
    truth.end();
    span.end();
  }, 300);
});
