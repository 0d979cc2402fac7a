'use strict';
/**
 * A module loader of a plug-in system stats every file below a folder, synchronously.
 * @culprit scan
 * @cause native javascript waiting
 * @parent scan-plugins
 * @resource Timeout
 */
const fs = require('node:fs');
const path = require('node:path');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

// <culprit>
function scan(directory, found) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) scan(file, found);
    else if (fs.statSync(file).size > 0) found.push(file);
  }
  return found;
}
// </culprit>

const modules = path.resolve(require.resolve('@opentelemetry/api'), '../..');

trace.getTracer('plugins').startActiveSpan('scan-plugins', (span) => {
  setTimeout(() => {
    truth.begin();
    const until = performance.now() + 400;
    while (performance.now() < until) scan(modules, []);
    truth.end();
    span.end();
  }, 300);
});
