import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { acceptedFile, acceptedText, summary } from './accepted.ts';
import { judgeAll } from './judge-all.ts';
import { readEvidence } from './recordings.ts';
import { replay } from './replay.ts';

/** Of thousands of lines, a failure shows these. */
const SHOWN_LINES = 40;

describe('The judgement of the recorded busy periods', () => {
  const evidence = readEvidence();
  const grades = judgeAll(evidence, replay);

  test('there are at least 2,000 of them, on each Node major, of each load', () => {
    const periods = evidence.runs.flatMap((run) => run.periods);
    expect(periods.length).toBeGreaterThanOrEqual(2000);
    expect(new Set(evidence.runs.map(({ nodeMajor }) => nodeMajor))).toEqual(new Set([20, 22, 24, 26]));
    expect(new Set(evidence.runs.map(({ load }) => load))).toEqual(new Set(['alone', 'quota', 'shared']));
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
