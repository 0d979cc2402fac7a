import { describe, expect, test } from '@jest/globals';
import {
  blockedSpans,
  combinationPerMajor,
  describeCombination,
  durationMs,
  oldestAndNewest,
} from '@loopwatch/test-support';
import type { RunResult, SpanRecord } from '@loopwatch/test-support';

import { ATTR_BLOCKED_VICTIMS, ATTR_BLOCKED_VICTIM_WAIT_TIME, ATTR_BLOCKED_WAIT_TIME } from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';
import { node24, spansOfTruth } from './thread-support.ts';

const SERVER = 1;

/** Seconds that the span waited for blocks; undefined when it did not wait. */
function waitOf(span: SpanRecord | undefined): number | undefined {
  return span?.attributes[ATTR_BLOCKED_WAIT_TIME] as number | undefined;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function blockOf(result: RunResult, id: string): SpanRecord {
  const [span, ...others] = spansOfTruth(
    result,
    result.truths.find((truth) => truth.id === id)!,
  );
  expect(others).toEqual([]);
  return span!;
}

describe("A span that waited for another request's block has its wait time when it ended", () => {
  const onNode24 = combinationPerMajor.filter(({ nodeMajor }) => nodeMajor === 24);
  const cases = [
    ...oldestAndNewest.map((on) => ['in the same iteration', on] as const),
    ...onNode24.map((on) => ['while the block was pending', on] as const),
    ...onNode24.map((on) => ['long after the block', on] as const),
  ].map(([ending, on]) => [ending, describeCombination(on), on] as const);

  test.concurrent.each(cases)('%s (%s)', async (ending, _label, combination) => {
    const result = await runFixture(combination, 'victim-requests.cjs', {
      args: [ending],
      telemetry: { victims: true, batch: true },
    });
    expectCleanExit(result);
    const first = blockOf(result, 'first');
    const second = blockOf(result, 'second');
    const byName = new Map(result.spans.map((span) => [span.name, span]));

    for (const name of ['server', 'consumer', 'local root']) {
      const span = byName.get(name)!;
      expect([name, linksToBlocks(result, span)]).toEqual([name, [first.spanId]]);
      // A span that ends in the block's own iteration does not wait for the rest of that iteration.
      const share = waitOf(span)! / (durationMs(first) / 1000);
      expect(share).toBeGreaterThan(0.8);
      expect(share).toBeLessThanOrEqual(1.01);
    }
    expect(linksToBlocks(result, byName.get('late')!)).toEqual([second.spanId]);
    expect(waitOf(byName.get('late'))! / (durationMs(second) / 1000)).toBeCloseTo(1, 1);

    for (const name of ['client of server', 'ended before', 'blocking request', 'inner of blocking request']) {
      const span = byName.get(name)!;
      expect([name, waitOf(span), linksToBlocks(result, span)]).toEqual([name, undefined, []]);
    }
    expect([...byName.keys()]).not.toContain('unsampled');

    // The first block delays the three spans above and the one that never ends; the second delays `late` and that one.
    expect(first.attributes[ATTR_BLOCKED_VICTIMS]).toBe(4);
    expect(second.attributes[ATTR_BLOCKED_VICTIMS]).toBe(2);
  });
});

describe('The victims of a block', () => {
  const majors = oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const);

  test.concurrent.each(majors)(
    'are the requests that waited, and not the one that blocked, on %s',
    async (_label, combination) => {
      const telemetry = { victims: true, batch: true, http: true };
      const result = await runFixture(combination, 'victim-http.cjs', { telemetry });
      expectCleanExit(result);
      const [block, ...others] = spansOfBlocks(result);
      expect(others).toEqual([]);
      const victims = result.spans.filter((span) => linksToBlocks(result, span).includes(block!.spanId));
      expect(block?.attributes[ATTR_BLOCKED_VICTIMS]).toBe(victims.length);
      expect(block?.attributes[ATTR_BLOCKED_VICTIM_WAIT_TIME]).toBeCloseTo(
        sum(victims.map((span) => waitOf(span)!)),
        6,
      );

      const requests = victims.filter(({ kind }) => kind === SERVER).map(({ attributes }) => attributes['url.path']);
      expect(requests.sort()).toEqual(['/waits/1', '/waits/2', '/waits/3']);
      const [blockingRequest] = result.spans.filter(
        ({ kind, attributes }) => kind === SERVER && attributes['url.path'] === '/blocks',
      );
      expect(block?.parentSpanId).toBe(blockingRequest?.spanId);
      expect(waitOf(blockingRequest)).toBeUndefined();
    },
  );

  test.concurrent.each([5000, 12_000])('are counted right, up to the bound, with %d open spans', async (count) => {
    const result = await runFixture(node24, 'victim-many-spans.cjs', {
      args: [String(count)],
      // On a slow machine, opening the spans may block as well: each block then has its own share of the wait times.
      telemetry: { victims: true, batch: true, instrumentation: { spansPerMinute: 1000 } },
    });
    expectCleanExit(result);
    const block = blockOf(result, 'block');
    // The oldest open spans are evicted. The newest is the blocking request's own, which is no victim.
    const victims = Math.min(count, 9_999);
    expect(block.attributes[ATTR_BLOCKED_VICTIMS]).toBe(victims);
    const seconds = durationMs(block) / 1000;
    expect(Number(block.attributes[ATTR_BLOCKED_VICTIM_WAIT_TIME]) / (victims * seconds)).toBeCloseTo(1, 1);
    const waitTimes = blockedSpans(result).map(({ attributes }) =>
      Number(attributes[ATTR_BLOCKED_VICTIM_WAIT_TIME] ?? 0),
    );
    expect(Number(result.notes.get('waitTimes')) / sum(waitTimes)).toBeCloseTo(1, 3);
  });
});

/** Ids of the `event-loop-blocked` spans that the span is linked to. */
function linksToBlocks(result: RunResult, { links }: SpanRecord): string[] {
  const blocks = new Set(spansOfBlocks(result).map(({ spanId }) => spanId));
  return links.map(({ spanId }) => spanId).filter((spanId) => blocks.has(spanId));
}
