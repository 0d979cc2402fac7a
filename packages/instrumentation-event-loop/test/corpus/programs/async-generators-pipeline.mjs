/**
 * Asynchronous generators are chained; no stage waits for anything, and one of them enriches every record by a scan.
 * @culprit enrich
 * @cause javascript
 * @parent pipeline
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const countries = Array.from({ length: 3000 }, (_, id) => ({ code: `c${id}`, name: `Country ${id}` }));

async function* read(count) {
  for (let id = 0; id < count; id += 1) yield { id, country: `c${(id * 31) % 3000}` };
}

// <culprit>
async function* enrich(records) {
  for await (const record of records) {
    yield { ...record, country: countries.find(({ code }) => code === record.country).name };
  }
}
// </culprit>

async function* onlyEven(records) {
  for await (const record of records) if (record.id % 2 === 0) yield record;
}

await trace.getTracer('etl').startActiveSpan('pipeline', async (span) => {
  await sleep(300);
  truth.begin();
  let written = 0;
  for await (const record of onlyEven(enrich(read(25_000)))) written += record.country.length;
  truth.end();
  span.setAttribute('written', written);
  span.end();
});
