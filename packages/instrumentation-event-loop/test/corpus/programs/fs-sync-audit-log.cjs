'use strict';
/**
 * An audit log that is flushed to disk after every line, in the callback of `fs.open`.
 * @culprit appendLine
 * @cause waiting native javascript
 * @parent audit
 * @resource FSREQCALLBACK
 */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'audit-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true }));

// <culprit>
function appendLine(descriptor, line) {
  fs.writeSync(descriptor, `${line}\n`);
  fs.fsyncSync(descriptor);
}

function writeAudit(descriptor, until) {
  for (let line = 0; performance.now() < until; line += 1) appendLine(descriptor, `user ${line} signed in`);
}
// </culprit>

trace.getTracer('audit').startActiveSpan('audit', (span) => {
  setTimeout(() => {
    fs.open(path.join(directory, 'audit.log'), 'a', (error, descriptor) => {
      truth.begin();
      writeAudit(descriptor, performance.now() + 400);
      truth.end();
      fs.closeSync(descriptor);
      span.end();
    });
  }, 300);
});
