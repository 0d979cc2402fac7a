/**
 * A transform stream parses a whole chunk of CSV at once, character by character.
 * @culprit parseRows
 * @cause javascript gc
 * @parent import-csv
 */
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

// <culprit>
function parseRows(text) {
  const rows = [[]];
  let cell = '';
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    else if (character === ',' && !quoted) {
      rows.at(-1).push(cell);
      cell = '';
    } else if (character === '\n' && !quoted) {
      rows.at(-1).push(cell);
      rows.push([]);
      cell = '';
    } else cell += character;
  }
  return rows;
}
// </culprit>

class CsvTransform extends Transform {
  constructor() {
    super({ readableObjectMode: true });
  }

  _transform(chunk, encoding, done) {
    truth.begin();
    const until = performance.now() + 400;
    let rows;
    do {
      rows = parseRows(chunk.toString());
    } while (performance.now() < until);
    truth.end();
    done(null, rows.length);
  }
}

async function* upload() {
  await sleep(300);
  yield Buffer.from('7,"a, quoted cell",plain,2026-11-21\n'.repeat(5000));
}

await trace.getTracer('imports').startActiveSpan('import-csv', async (span) => {
  await pipeline(upload, new CsvTransform(), async (counts) => {
    for await (const count of counts) span.setAttribute('rows', count);
  });
  span.end();
});
