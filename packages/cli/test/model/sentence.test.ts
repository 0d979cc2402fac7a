import { describe, expect, test } from '@jest/globals';

import { culpritKey } from '../../src/model/blocks/culprits.js';
import { type CulpritFacts, culpritSentence, sentenceOf } from '../../src/model/blocks/sentence.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

const FACTS: CulpritFacts = {
  functionName: 'createSpans',
  place: 'src/runs/trace-view.ts:17',
  cause: 'javascript',
  share: 0.77,
  count: 4,
  totalMs: 9_800,
  longestMs: 2_500,
  requests: ['GET /runs/:runId/trace'],
  victims: { count: 125, areRequests: true, longestMs: 2_400 },
  newIn: '1.3.0',
};

function without(...names: (keyof CulpritFacts)[]): CulpritFacts {
  return Object.fromEntries(
    Object.entries(FACTS).filter(([name]) => !names.includes(name as keyof CulpritFacts)),
  ) as unknown as CulpritFacts;
}

describe('the sentence about a culprit', () => {
  test('says all that is known', () => {
    expect(culpritSentence(FACTS)).toBe(
      'createSpans (src/runs/trace-view.ts:17) took 77 % of the blocked time: 4 blocks, 9.8 s, longest 2.5 s, ' +
        'in GET /runs/:runId/trace; 125 requests waited, up to 2.4 s. New in 1.3.0.',
    );
  });

  test.each<[string, CulpritFacts, string]>([
    ['no version', without('newIn'), 'in GET /runs/:runId/trace; 125 requests waited, up to 2.4 s.'],
    ['no victims', without('newIn', 'victims'), 'longest 2.5 s, in GET /runs/:runId/trace.'],
    ['no request', { ...without('newIn', 'victims'), requests: [] }, '4 blocks, 9.8 s, longest 2.5 s.'],
    [
      'no wait time of the victims',
      { ...without('newIn'), victims: { count: 1, areRequests: false } },
      'in GET /runs/:runId/trace; 1 span waited.',
    ],
    [
      'one block',
      { ...without('newIn', 'victims'), count: 1, totalMs: 850, longestMs: 850 },
      'blocked time: 1 block, 850 ms, in GET /runs/:runId/trace.',
    ],
    ['several routes', { ...without('newIn', 'victims'), requests: ['GET /a', 'POST /b', 'GET /c'] }, 'in 3 routes.'],
    [
      'requests that are no routes',
      { ...without('newIn', 'victims'), requests: ['GET /a', 'send mail'] },
      'in 2 operations.',
    ],
  ])('with %s', (_, facts, end) => {
    const sentence = culpritSentence(facts);
    expect(sentence.slice(-end.length)).toBe(end);
    expect(sentence).toMatch(/^createSpans \(src\/runs\/trace-view\.ts:17\) took 77 % of the blocked time: /);
  });

  test.each([
    ['Looks like', false],
    ['May be', true],
  ])('with the kind of code, ends with the advice: %s', (verb, isGuess) => {
    const sentence = culpritSentence({ ...FACTS, kind: { kind: 'nested-scan', isGuess } });
    const [, advice] = sentence.split(' New in 1.3.0. ');
    expect(advice).toMatch(new RegExp(`^${verb} a nested scan: https://\\S+/docs/culprits/nested-scan\\.md$`));
  });

  test.each<[string, Pick<Block, 'cause' | 'runQueueMs'>, string]>([
    [
      'most of its time',
      { cause: 'javascript', runQueueMs: 300 },
      '1 block, 400 ms, stretched 4.0× by waiting for CPU.',
    ],
    ['as its cause', { cause: 'cpu_starved', runQueueMs: 120 }, '1 block, 400 ms, 30 % of it waiting for CPU.'],
    ['some of its time', { cause: 'javascript', runQueueMs: 120 }, '1 block, 400 ms.'],
    ['an unknown time', { cause: 'cpu_starved' }, '1 block, 400 ms.'],
  ])('says how long it waited for a CPU, where that was %s', (_, waited, end) => {
    const block: Block = { ...makeBlock({ durationMs: 400 }), ...waited };
    expect(sentenceOf([block])?.slice(-end.length)).toBe(end);
  });

  test('without a place, names the function alone', () => {
    expect(culpritSentence(without('place'))).toMatch(/^createSpans took 77 %/);
  });

  test('without a stack, says so and gives the cause', () => {
    expect(culpritSentence({ ...without('functionName', 'place'), cause: 'gc' })).toMatch(
      /^Code without a stack \(gc\) took 77 %/,
    );
  });

  test.each([
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [99_940, '99.9 s'],
    [99_960, '1 min 40 s'],
    [3_600_000, '60 min'],
  ])('rounds %d ms to %s', (ms, text) => {
    expect(culpritSentence({ ...FACTS, longestMs: ms })).toContain(`longest ${text},`);
  });
});

describe('the sentence about blocks', () => {
  const fast = { functionName: 'fast', filePath: '/app/src/fast.js', lineNumber: 9, columnNumber: 1 };
  const summary = { nameCount: 1, longestMs: 150, nameKind: 'route' } as const;

  test.each<[string, Partial<Block>[], string | undefined]>([
    ['no block', [], undefined],
    [
      'the culprit with the most time',
      [{ durationMs: 500, culprit: fast }, { durationMs: 300 }, { durationMs: 1_200, request: 'GET /a' }],
      'slow (src/slow.js:3) took 75 % of the blocked time: 2 blocks, 1.5 s, longest 1.2 s, 1 of them in GET /a.',
    ],
    [
      'a guess',
      [{ stackQuality: 'post_native' }],
      '≈ slow (src/slow.js:3) took 100 % of the blocked time: 1 block, 200 ms.',
    ],
    [
      'blocks that got no span',
      [{ suppressedCount: 3 }],
      'slow (src/slow.js:3) took 100 % of the blocked time: 4 blocks, 200 ms, longest 200 ms.',
    ],
    [
      'requests that waited for two blocks',
      [
        { victimCount: 3, victimSummary: summary },
        { victimCount: 2, victimSummary: { ...summary, longestMs: 90 } },
        { durationMs: 100 },
      ],
      'slow (src/slow.js:3) took 100 % of the blocked time: 3 blocks, 500 ms, longest 200 ms; 5 requests waited, up to 150 ms.',
    ],
    [
      'victims of which some are not known',
      [{ victimCount: 3, victimSummary: summary }, { victimCount: 2 }],
      'slow (src/slow.js:3) took 100 % of the blocked time: 2 blocks, 400 ms, longest 200 ms; 5 spans waited.',
    ],
  ])('is right for %s', (_, blocks, sentence) => {
    const made = blocks.map((block, index) => makeBlock({ id: `b${index}`, ...block }));
    expect(sentenceOf(made, { directory: '/app' })).toBe(sentence);
  });

  test('counts only the part of a block within the range', () => {
    const blocks = [makeBlock({ startMs: 1_000, durationMs: 800 })];
    expect(sentenceOf(blocks, { directory: '/app', range: { fromMs: 1_500, toMs: 2_000 } })).toContain(
      '1 block, 300 ms',
    );
  });

  test('is about another culprit where one is selected', () => {
    const blocks = [makeBlock({ durationMs: 300 }), makeBlock({ id: 'b2', durationMs: 100, culprit: fast })];
    const culprit = culpritKey(blocks[1]!);
    expect(sentenceOf(blocks, { directory: '/app', culprit })).toBe(
      'fast (src/fast.js:9) took 25 % of the blocked time: 1 block, 100 ms.',
    );
  });
});
