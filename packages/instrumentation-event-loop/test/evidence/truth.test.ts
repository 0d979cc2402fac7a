import { describe, expect, test } from '@jest/globals';

import type { Profile, Truth } from './recording.ts';
import { isLong, measuredCauses, measuredCulprits } from './truth.ts';

const THRESHOLD_MS = 100;

function truth(overrides: Partial<Truth> = {}): Truth {
  return {
    id: 'block',
    threadId: 0,
    startNowMs: 0,
    endNowMs: 400,
    cpuMs: 400,
    runQueueMs: 0,
    gcMs: 0,
    span: '',
    ...overrides,
  };
}

function profile(ticks: Profile['ticks'], functions: Profile['functions'] = []): Profile {
  return {
    subject: '',
    nodeMajor: 24,
    id: 'block',
    isCalm: true,
    gcMs: 0,
    otherMs: 400,
    functions,
    ...(ticks && { ticks }),
  };
}

const javascript = profile({ javascript: 380, either: 0, native: 20, gc: 0 });

describe('The measured cause', () => {
  test.each([
    ['JavaScript on a CPU', truth(), javascript, ['javascript']],
    ['native calls', truth(), profile({ javascript: 20, either: 40, native: 340, gc: 0 }), ['native']],
    [
      'half of it native',
      truth(),
      profile({ javascript: 200, either: 0, native: 200, gc: 0 }),
      ['native', 'javascript'],
    ],
    [
      'calls that may be either',
      truth(),
      profile({ javascript: 150, either: 200, native: 50, gc: 0 }),
      ['native', 'javascript'],
    ],
    ['collections', truth({ gcMs: 300 }), javascript, ['gc']],
    ['collections in which it slept', truth({ cpuMs: 150, gcMs: 300 }), javascript, ['gc']],
    ['a sleep', truth({ cpuMs: 10 }), undefined, ['waiting']],
    ['a wait for a CPU, long without it', truth({ cpuMs: 200, runQueueMs: 200 }), javascript, ['javascript']],
    ['a wait for a CPU, short without it', truth({ cpuMs: 40, runQueueMs: 360 }), javascript, ['cpu_starved']],
    ['stops by a quota, short without them', truth({ cpuMs: 40, throttledMs: 360 }), javascript, ['cpu_starved']],
    ['no measurement', truth({ cpuMs: undefined }), javascript, []],
    ['too few ticks', truth(), profile({ javascript: 9, either: 0, native: 0, gc: 0 }), []],
  ] as const)('of %s', (_, block, measured, causes) => {
    expect(measuredCauses(block, measured, THRESHOLD_MS)).toEqual(causes);
  });
});

test('a length near the threshold decides nothing', () => {
  const lengths = [79, 100, 121].map((endNowMs) => isLong(truth({ endNowMs }), THRESHOLD_MS));
  expect(lengths).toEqual(['no', 'maybe', 'yes']);
});

test('the measured culprit is the deepest function of the application with half of the time', () => {
  const of = (functionName: string, ms: number, url = '/app/a.cjs') => ({ functionName, url, line: 1, ms });
  const functions = [
    of('helper', 100),
    of('near', 200),
    of('inner', 300),
    of('library', 350, '/app/node_modules/a/b.js'),
    of('outer', 400),
  ];
  expect(measuredCulprits(profile(undefined, functions)).map(({ functionName }) => functionName)).toEqual([
    'near',
    'inner',
    'near',
    'inner',
  ]);
});
