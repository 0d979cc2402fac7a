import { describe, expect, test } from '@jest/globals';

import { catalogue } from '../../src/catalogue/catalogue.ts';
import { describeFailures, rightShare } from '../../src/failures.ts';
import type { BlockFinding, Findings } from '../../src/findings.ts';
import { documentOf, withoutFolders } from '../../src/report/document.ts';
import type { WrittenResult } from '../../src/report/document.ts';

const wrong: BlockFinding = {
  verdict: 'wrong',
  culprit:
    'patchedRequire /home/a/.cache/loopwatch/field/loopwatch-cli-0123456789ab/node_modules/loopwatch/dist/preload.cjs:1',
  durationMs: 300,
  cause: 'javascript',
  stackQuality: 'live',
  reason: 'an observer is the culprit; the profile has load file:///tmp/x/field/express/server.cjs:3',
  isObserver: true,
};

function resultOf(changes: Partial<Findings> = {}): WrittenResult {
  const run: Findings = {
    nodeMajor: 24,
    mode: 'run',
    seconds: 2,
    differences: [],
    counts: { right: 3, wrong: 0, unnamed: 0, unchecked: 1 },
    blocks: [],
    misses: [],
    ...changes,
  };
  const machine = 'CPU, 2 cores, 8 GiB, Linux 6 x64, load average 1.5';
  return { name: 'express', versions: { express: '5.0.0' }, date: '2026-01-02', machine, findings: [run] };
}

describe('the suite', () => {
  test('accepts blocks that are right or cannot be checked', () => {
    expect(describeFailures([resultOf()])).toEqual([]);
  });

  test('does not accept another behaviour, whatever the share of right blocks is', () => {
    expect(describeFailures([resultOf({ differences: ['ended by SIGKILL, not by SIGTERM'] })])).toEqual([
      'express, Node 24, run: ended by SIGKILL, not by SIGTERM',
    ]);
  });

  test('does not accept an observer as the culprit, an idle thread, or too many wrong blocks', () => {
    const idle = { ...wrong, isObserver: false, reason: 'the thread was idle' };
    const counts = { right: 3, wrong: 2, unnamed: 0, unchecked: 0 };
    const result = resultOf({ counts, blocks: [wrong, idle] });
    expect(rightShare([result])).toEqual({ right: 3, marked: 0, checked: 5 });
    expect(describeFailures([result])).toEqual([
      expect.stringContaining('an observer is the culprit: patchedRequire'),
      'express, Node 24, run: an idle thread has a block',
      'Expected 95 % of the checked blocks to be right, or marked as a guess, got 3 of 5.',
      'Expected 80 % of the checked blocks to be right, got 3 of 5.',
    ]);
  });

  test('accepts a wrong culprit that is marked as a guess, where most are right', () => {
    const guess: BlockFinding = {
      ...wrong,
      isObserver: false,
      stackQuality: 'post_native',
      reason: 'on the stack in 9 %',
    };
    const counts = (right: number): Findings['counts'] => ({ right, wrong: 1, unnamed: 0, unchecked: 0 });
    expect(describeFailures([resultOf({ counts: counts(4), blocks: [guess] })])).toEqual([]);
    expect(describeFailures([resultOf({ counts: counts(3), blocks: [guess] })])).toEqual([
      'Expected 80 % of the checked blocks to be right, got 3 of 4.',
    ]);
  });
});

describe('the document', () => {
  const counts = { right: 3, wrong: 1, unnamed: 0, unchecked: 0 };
  const text = documentOf(catalogue, [
    resultOf({ counts, blocks: [wrong], misses: ['compress: 0 of at least 9 blocks'] }),
  ]);

  test('has the machine, the share of right blocks, a row for each program that has run, and for each program', () => {
    expect(text).toContain('2026-01-02; CPU, 2 cores, 8 GiB, Linux 6 x64; load average 1.5 to 1.5.');
    expect(text).toContain(
      '**Right culprit** in 3 of 4 checked blocks (75.0 %); right, or marked as a guess (`≈`), in 3 of 4 checked blocks (75.0 %).',
    );
    expect(text).toContain('| express | same | 1 | 3 | 0 | 1 | 0 | 0 | 1 |');
    for (const { name, kind } of catalogue) expect(text).toContain(`| ${name} | ${kind} |`);
  });

  test('says which programs have not run on which major', () => {
    expect(text).toMatch(/^- Node 26: .*\bexpress\b/m);
    expect(/^- Node 24: .*$/m.exec(text)?.[0]).not.toMatch(/\bexpress\b/);
  });

  test('lists what was not right, without the folders of the machine', () => {
    expect(text).toContain('not reported: `compress: 0 of at least 9 blocks`');
    expect(text).toContain('`patchedRequire node_modules/loopwatch/dist/preload.cjs:1`');
    expect(text).toContain('the profile has load server.cjs:3`');
  });
});

test.each([
  ['/home/a/.cache/loopwatch/field/koa-01eb31079d40/node_modules/koa/lib/a.js:1', 'node_modules/koa/lib/a.js:1'],
  ['/home/a/.cache/loopwatch/field/n8n-c13ec22da61c/node_modules/n8n/dist/a.js:1', 'node_modules/n8n/dist/a.js:1'],
  ['file:///tmp/apps/npm-sdk3-auto-d0b2/field/koa/server.mjs:9', 'server.mjs:9'],
  ['/tmp/apps/npm-sdk3-auto-d0b2/node_modules/@opentelemetry/api/a.js:2', 'node_modules/@opentelemetry/api/a.js:2'],
])('the folders of the machine are not written: %s', (place, expected) => {
  expect(withoutFolders(`missed: send ${place}, 2 ms`)).toBe(`missed: send ${expected}, 2 ms`);
});
