/**
 * Records are made from a large text with a class, accessors and validation for each field, from TypeScript.
 * @culprit fromLine parseRecords
 * @cause javascript native gc
 * @parent load-statement
 * @flags --enable-source-maps
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const statement = Array.from(
  { length: 20_000 },
  (_, id) => `${id};2026-03-${String(1 + (id % 28)).padStart(2, '0')};${id * 1.25}`,
).join('\n');

// <culprit>
class Transaction {
  readonly #fields: readonly string[];

  constructor(fields: readonly string[]) {
    if (fields.length !== 3) throw new TypeError(`Expected three fields, got ${fields.length}.`);
    this.#fields = fields;
  }

  static fromLine(line: string): Transaction {
    return new Transaction(line.split(';').map((field) => field.trim()));
  }

  get amount(): number {
    const amount = Number.parseFloat(this.#fields[2]!);
    if (Number.isNaN(amount)) throw new TypeError('Expected an amount.');
    return amount;
  }
}

function parseRecords(text: string): number {
  let sum = 0;
  for (const line of text.split('\n')) sum += Transaction.fromLine(line).amount;
  return sum;
}
// </culprit>

await trace.getTracer('bank').startActiveSpan('load-statement', async (span) => {
  await sleep(300);
  truth.begin();
  const until = performance.now() + 400;
  while (performance.now() < until) parseRecords(statement);
  truth.end();
  span.end();
});
