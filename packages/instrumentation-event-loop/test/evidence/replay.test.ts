import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { acceptedFile, acceptedText, summary } from './accepted.ts';
import { judgeAll } from './judge-all.ts';
import { readEvidence } from './recordings.ts';
import { replay } from './replay.ts';

/** The goal is 2,000: raise it with the recordings. */
const MIN_PERIODS = 1400;
/** Of thousands of lines, a failure shows these. */
const SHOWN_LINES = 40;

describe('The judgement of the recorded busy periods', () => {
  const evidence = readEvidence();
  const grades = judgeAll(evidence, replay);

  test('there are enough of them, on each Node major, alone and in a quota', () => {
    const periods = evidence.runs.flatMap((run) => run.periods);
    expect(periods.length).toBeGreaterThanOrEqual(MIN_PERIODS);
    const groups = new Set(evidence.runs.map(({ nodeMajor, load }) => `${nodeMajor} ${load}`));
    for (const group of ['20 alone', '22 alone', '24 alone', '26 alone', '24 quota']) expect(groups).toContain(group);
  });

  test('no record names a folder of the machine that recorded it', () => {
    const text = JSON.stringify(evidence);
    expect(/"(file:\/\/)?\/(home|root|tmp|work|usr|Users)\/[^"]*"/.exec(text)?.[0]).toBeUndefined();
  });

  test('differs from the last accepted state in nothing', () => {
    const lines = acceptedText(grades).split('\n');
    const accepted = existsSync(acceptedFile) ? readFileSync(acceptedFile, 'utf8').split('\n') : [];
    const [now, before] = [new Set(lines), new Set(accepted)];
    const gone = accepted.filter((line) => !now.has(line)).map((line) => `- ${line}`);
    const come = lines.filter((line) => !before.has(line)).map((line) => `+ ${line}`);
    const differences = [...gone, ...come].sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1));
    if (differences.length > 0) console.log(`${summary(grades)}\n${differences.length} lines differ.`);
    // Read them; if they are better, `npm run evidence -- accept` takes them over.
    expect(differences.slice(0, SHOWN_LINES)).toEqual([]);
  });
});
