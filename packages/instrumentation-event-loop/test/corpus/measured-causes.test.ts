import { expect, test } from '@jest/globals';
import type { TruthRecord } from '@loopwatch/test-support';

import type { Profile } from '../evidence/recording.ts';
import { measuredCulprits } from '../evidence/truth.ts';
import { collectedWithin } from './collections.ts';
import { readCorpus } from './expectation.ts';
import type { Expectation } from './expectation.ts';
import { bareName } from './judge.ts';
import { acceptedCauses, profileOfProgram } from './measured-causes.ts';

const truth = { startNowMs: 0, endNowMs: 400, cpuMs: 390, runQueueMs: 5 } as TruthRecord;
const causes = ['javascript', 'native', 'gc'] as const;

function profile(ticks: Profile['ticks'], gcMs = 0): Profile {
  return {
    subject: 'corpus/a.cjs',
    nodeMajor: 24,
    id: 'block',
    isCalm: true,
    gcMs,
    otherMs: 400 - gcMs,
    ticks,
    functions: [],
  };
}

test('a cause that the measurements exclude is not accepted, although the program states it', () => {
  const mostlyJavaScript = profile({ javascript: 300, either: 50, native: 50, gc: 0 });
  expect(acceptedCauses({ causes }, truth, mostlyJavaScript)).toEqual({ causes: ['javascript'] });
  expect(acceptedCauses({ causes }, truth, profile({ javascript: 50, either: 50, native: 300, gc: 0 }))).toEqual({
    causes: ['native'],
  });
  expect(acceptedCauses({ causes }, truth, profile({ javascript: 100, either: 0, native: 0, gc: 300 }, 300))).toEqual({
    causes: ['gc'],
  });
});

test('several causes are accepted only with the measurement that leaves them open', () => {
  expect(acceptedCauses({ causes }, truth, profile({ javascript: 140, either: 160, native: 100, gc: 0 }, 40))).toEqual({
    causes: ['javascript', 'native'],
    because: 'JavaScript 35–75 %, native 25–65 %, collections 10 %',
  });
});

test('the collections of the run itself count where they were measured', () => {
  const ticks = { javascript: 300, either: 50, native: 50, gc: 0 };
  const profiled = profile(ticks, 220);
  expect(acceptedCauses({ causes }, truth, profiled).causes).toEqual(['javascript', 'gc']);
  expect(acceptedCauses({ causes }, truth, profiled, 40)).toEqual({ causes: ['javascript'] });
  expect(acceptedCauses({ causes }, truth, profiled, 390)).toEqual({ causes: ['gc'] });
  const collections = [
    { threadId: 0, startNowMs: 90, endNowMs: 130 },
    { threadId: 0, startNowMs: 390, endNowMs: 450 },
    { threadId: 1, startNowMs: 200, endNowMs: 300 },
  ];
  expect(collectedWithin(collections, { threadId: 0, startNowMs: 100, endNowMs: 400 })).toBe(40);
});

test('a run that slept is measured by the kernel', () => {
  const asleep = { ...truth, cpuMs: 60 };
  const ticks = { javascript: 300, either: 0, native: 0, gc: 0 };
  expect(acceptedCauses({ causes: ['javascript', 'waiting'] }, asleep, profile(ticks))).toEqual({
    causes: ['waiting'],
  });
  expect(acceptedCauses({ causes: ['javascript', 'waiting'] }, truth, profile(ticks))).toEqual({
    causes: ['javascript'],
  });
});

test('without measurements, and for a cause that none of them allows, the statement of the program counts', () => {
  const ticks = { javascript: 300, either: 0, native: 0, gc: 0 };
  expect(acceptedCauses({ causes }, truth, undefined)).toEqual({ causes });
  expect(acceptedCauses({ causes: ['native'] }, truth, profile(ticks))).toEqual({ causes: ['native'] });
});

test('each program of the corpus that states several causes has one by its measurements, or the shares that leave them open', () => {
  const several = readCorpus().filter((expectation) => expectation.causes.length > 1);
  const accepted = several.map((expectation) => ({
    program: expectation.program,
    ...acceptedCauses(expectation, truth, profileOfProgram(expectation.program)),
  }));
  expect(accepted.filter(({ causes: left }) => left.length === 1).length).toBeGreaterThanOrEqual(12);
  const unmeasured = accepted.filter(({ causes: left, because }) => left.length > 1 && because === undefined);
  // V8's ticks have not been recorded of these.
  expect(unmeasured.map(({ program }) => program)).toEqual([
    'wasm-checksum.mjs',
    'webhook-hmac-batch.mjs',
    'word-list-includes.cjs',
    'zip-loop-of-calls.cjs',
    'zlib-brotli.mjs',
    'zlib-deflate-each.cjs',
    'zlib-gzip.cjs',
  ]);
});

/** Which of a program's culprits V8's profile allows: one, or those that it leaves open. */
function measuredOf({ program, culprits }: Expectation): readonly string[] {
  const measured = measuredCulprits(profileOfProgram(program)).map(({ functionName }) => bareName(functionName));
  return culprits.filter((name) => measured.includes(name));
}

test("a program states the one culprit that V8's profile of it leaves, or all that it leaves open", () => {
  const wider = readCorpus().filter((each) => {
    const measured = measuredOf(each);
    return measured.length > 0 && measured.length < each.culprits.length;
  });
  // The profile is of Node.js 24: on other majors, V8 inlines a function of these. Each function of a recursion is on all stacks.
  expect(wider.map(({ program }) => program)).toEqual([
    'csv-typed-records.mts',
    'parser-descent.cts',
    'template-tagged.mts',
  ]);
  const several = readCorpus().filter(({ culprits }) => culprits.length > 1);
  expect(several.length).toBeLessThanOrEqual(7);
});
