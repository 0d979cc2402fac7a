'use strict';
/**
 * A registry accepts a package in three stages, none of which takes half of the time: what calls them is the culprit.
 * @culprit publish
 * @cause javascript
 * @parent publish
 * @resource Timeout
 */
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const manifest = { name: 'package', versions: Array.from({ length: 50 }, (_, id) => ({ id, files: [`a${id}`] })) };

function checkManifest(until) {
  let files = 0;
  while (performance.now() < until) for (const { id } of manifest.versions) files += `${id}`.length;
  return files;
}

function compareVersions(until) {
  let newest;
  while (performance.now() < until) [newest] = [...manifest.versions].sort((a, b) => b.id - a.id);
  return newest.id;
}

function writeTarball(until) {
  let sum = 0;
  while (performance.now() < until) for (const letter of 'abcdefgh') sum = (sum * 31 + letter.charCodeAt(0)) % 65_521;
  return sum;
}

// <culprit>
function publish() {
  const started = performance.now();
  return checkManifest(started + 140) + compareVersions(started + 280) + writeTarball(started + 420);
}
// </culprit>

trace.getTracer('registry').startActiveSpan('publish', (span) => {
  setTimeout(() => {
    truth.begin();
    publish();
    truth.end();
    span.end();
  }, 300);
});
