import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Spool } from '../../../../src/watchdog/report/spool.js';

const RUNS = 200;
/** A file of a process that cannot exist: its id is above the largest process id. */
const LEFT_BEHIND = '4194305-1-0a.loopwatch-hang.json';

const number = fc.oneof(fc.nat().map(String), fc.bigInt().map(String), fc.constantFrom('', '0', '-1', '1e9', 'NaN'));
const ownName = fc.tuple(number, number, fc.stringMatching(/^[0-9a-g]{0,9}$/)).map((parts) => parts.join('-'));
const name = fc
  .tuple(fc.oneof(ownName, fc.string({ maxLength: 40 })), fc.constantFrom('.loopwatch-hang.json', '.json', ''))
  .map((parts) => parts.join(''))
  .filter((text) => /^[^/\0]{1,100}$/.test(text) && !['.', '..'].includes(text));
const report = fc.json().map((text) => `{"resourceSpans":[${text}]}`);
const body = fc.oneof(
  report,
  fc.tuple(report, fc.nat(60)).map(([text, length]) => text.slice(0, length)),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.uint8Array(),
  fc.constant('x'.repeat(256 * 1024 + 1)),
);

test('any files in the spool give whole reports only, and nothing is thrown', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'loopwatch-spool-fuzz-'));
  let run = 0;
  try {
    fc.assert(
      fc.property(fc.dictionary(name, body, { maxKeys: 8 }), report, (files, whole) => {
        const directory = path.join(parent, String(run++));
        mkdirSync(directory);
        for (const [file, content] of Object.entries(files)) writeFileSync(path.join(directory, file), content);
        writeFileSync(path.join(directory, LEFT_BEHIND), whole);
        const returned: string[] = [];
        const spool = new Spool(directory);
        for (const { body: text, forget } of spool.leftovers()) {
          returned.push(text);
          expect(Array.isArray((JSON.parse(text) as { resourceSpans: unknown }).resourceSpans)).toBe(true);
          forget();
        }
        expect(returned).toContain(whole);
        expect(spool.leftovers()).toEqual([]);
        expect(spool.keep('{"resourceSpans":[]}')).not.toThrow();
      }),
      { numRuns: RUNS },
    );
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
