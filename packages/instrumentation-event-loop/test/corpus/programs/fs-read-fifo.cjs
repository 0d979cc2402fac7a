'use strict';
/**
 * A synchronous read of a named pipe sleeps until the other side has written.
 * @culprit readToken
 * @cause waiting
 * @parent read-token
 * @resource Timeout
 */
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'token-'));
const pipe = path.join(directory, 'token');
execFileSync('mkfifo', [pipe]);
process.on('exit', () => fs.rmSync(directory, { recursive: true }));

// <culprit>
function readToken(file) {
  const token = fs.readFileSync(file, 'utf8');
  truth.end();
  return token;
}
// </culprit>

trace.getTracer('secrets').startActiveSpan('read-token', (span) => {
  setTimeout(() => {
    truth.begin();
    spawn('sh', ['-c', 'sleep 0.5; echo secret > "$0"', pipe]);
    readToken(pipe);
    span.end();
  }, 300);
});
