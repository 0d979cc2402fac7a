'use strict';
/**
 * `readline` hands over line after line of one chunk; each is quick, the chunk is not.
 * @culprit parseLine
 * @cause javascript gc native
 * @parent parse-log
 */
const readline = require('node:readline');
const { Readable } = require('node:stream');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const line = '127.0.0.1 - - [21/Nov/2026:08:00:00 +0000] "GET /index.html?a=1&b=2 HTTP/1.1" 200 1234 "-" "agent/1.0"';
const pattern = /^(\S+) \S+ (\S+) \[([^\]]+)\] "(\S+) (\S+) [^"]*" (\d{3}) (\d+|-)/;
let lines = 0;

// <culprit>
function parseLine(text) {
  for (let field = 0; field < 20; field += 1) {
    const [, host, user, at, method, url, status] = pattern.exec(text);
    new URLSearchParams(url.split('?')[1]).get(String(field + Number(status)));
    lines += host.length + user.length + at.length + method.length;
  }
}
// </culprit>

trace.getTracer('logs').startActiveSpan('parse-log', (span) => {
  setTimeout(() => {
    truth.begin();
    const reader = readline.createInterface({ input: Readable.from([`${line}\n`.repeat(12_000)]) });
    reader.on('line', parseLine);
    reader.on('close', () => {
      truth.end();
      span.end();
    });
  }, 300);
});
