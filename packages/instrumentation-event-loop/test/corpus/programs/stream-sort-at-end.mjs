/**
 * A transform stream collects all objects and sorts and deduplicates them when its input ends.
 * @culprit _flush
 * @cause javascript
 * @parent export
 */
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const contacts = Array.from({ length: 3000 }, (_, id) => ({ id, mail: `reader${id % 2500}@example.org` }));

class Deduplicate extends Transform {
  #seen = [];

  constructor() {
    super({ objectMode: true });
  }

  _transform(contact, _encoding, callback) {
    this.#seen.push(contact);
    callback();
  }

  // <culprit>
  _flush(callback) {
    truth.begin();
    const until = performance.now() + 350;
    let unique = [];
    do {
      unique = [];
      for (const contact of this.#seen) {
        if (unique.every(({ mail }) => mail !== contact.mail)) unique.push(contact);
      }
    } while (performance.now() < until);
    for (const contact of unique.sort((a, b) => a.mail.localeCompare(b.mail))) this.push(contact);
    truth.end();
    callback();
  }
  // </culprit>
}

await trace.getTracer('contacts').startActiveSpan('export', async (span) => {
  await sleep(300);
  let written = 0;
  await pipeline(Readable.from(contacts), new Deduplicate(), async (source) => {
    for await (const contact of source) written += contact.mail.length;
  });
  span.end();
});
