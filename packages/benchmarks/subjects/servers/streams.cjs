'use strict';
// A download that is read from disk and transformed on its way: many short loop iterations, few promises.
const { createReadStream, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Transform, pipeline } = require('node:stream');

const FILE_BYTES = 512 * 1024;
const CHUNK_BYTES = 16 * 1024;

const directory = mkdtempSync(path.join(os.tmpdir(), 'loopwatch-bench-'));
const file = path.join(directory, 'download.bin');
writeFileSync(file, Buffer.alloc(FILE_BYTES, 'the quick brown fox jumps over the lazy dog\n'));
process.on('exit', () => {
  rmSync(directory, { recursive: true, force: true });
});

function lineCounter(onEnd) {
  let lines = 0;
  return new Transform({
    transform(chunk, _encoding, done) {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 256)) lines++;
      done(null, chunk);
    },
    flush(done) {
      onEnd(lines);
      done();
    },
  });
}

module.exports = function handle(_request, response) {
  const counter = lineCounter((lines) => {
    if (lines === 0) throw new Error('Expected lines in the download, got none.');
  });
  pipeline(createReadStream(file, { highWaterMark: CHUNK_BYTES }), counter, response, () => undefined);
};
