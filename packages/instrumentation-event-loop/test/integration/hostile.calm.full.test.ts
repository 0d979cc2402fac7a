import { describe, expect, test } from '@jest/globals';
import {
  defaultCombination,
  describeCombination,
  durationMs,
  histogram,
  oldestAndNewest,
} from '@loopwatch/test-support';
import type { Combination, RunResult, SpanRecord } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_PROFILE,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_STACKTRACE,
  METRIC_EVENT_LOOP_BLOCKED_DURATION,
} from '../../src/semconv.ts';
import { expectCleanExit, runFixture, spansOfBlocks } from './support.ts';
import type { FixtureOptions } from './support.ts';

// The oldest and the newest: how V8 treats stacks and replaced built-ins depends on Node.js, and hardly on the SDK.
const both = oldestAndNewest.map((combination) => [describeCombination(combination), combination] as const);
const ownTelemetry = { preload: 'none' } as const;

async function run(combination: Combination, program: string, options: FixtureOptions = {}): Promise<RunResult> {
  const result = await runFixture(combination, program, options);
  expectCleanExit(result);
  expect(result.stderr).toBe('');
  return result;
}

/**
 * Expects a live stack with that culprit. A thread that waited for a CPU for most of its block is exempt: it may have
 * answered only after the block.
 */
function expectCulprit(span: SpanRecord | undefined, functionName: string): void {
  expect(span).toBeDefined();
  if (Number(span!.attributes[ATTR_BLOCKED_RUN_QUEUE_TIME]) * 1000 >= durationMs(span!) / 2) return;
  expect(span?.attributes).toMatchObject({
    [ATTR_CODE_FUNCTION_NAME]: functionName,
    [ATTR_BLOCKED_STACK_QUALITY]: 'live',
  });
}

// Both majors in one `describe`: Jest runs side by side what is in one.
describe('On the oldest and the newest, when', () => {
  const onBoth = (name: string, expectThat: (combination: Combination) => Promise<void>): void => {
    test.concurrent.each(both)(`${name}: %s`, (_label, combination) => expectThat(combination));
  };

  onBoth('the stack is 10,000 calls deep, the culprit is found', async (combination) => {
    const options = { args: ['10000'], flags: ['--stack-size=3900'] };
    const result = await run(combination, 'hostile-depth.cjs', options);
    expect(result.notes.get('depth')).toBe(10_000);
    expectCulprit(spansOfBlocks(result)[0], 'spin');
  });

  onBoth('hardly any stack is left, the program continues and its block has its length', async (combination) => {
    const result = await run(combination, 'hostile-depth.cjs', { args: ['edge'] });
    const [span, ...others] = spansOfBlocks(result);
    expect(others).toEqual([]);
    const [truth] = result.truths;
    expect(durationMs(span!) / (truth!.endNowMs - truth!.startNowMs)).toBeGreaterThan(0.9);
  });

  onBoth(
    'Error is frozen, its stack limit is 0 and its hooks throw, the culprit is found and Error is neither called nor changed',
    async (combination) => {
      const result = await run(combination, 'hostile-errors.cjs');
      expectCulprit(spansOfBlocks(result)[0], 'spin');
      expect(result.notes.get('left')).toEqual({ calls: 0, limit: 0, own: true });
    },
  );

  onBoth(
    'stacks of errors are formatted all the time, the function that formats them is found',
    async (combination) => {
      const result = await run(combination, 'error-formatting.cjs');
      expectCulprit(spansOfBlocks(result)[0], 'mapSites');
      expect(spansOfBlocks(result)[0]?.attributes[ATTR_CODE_STACKTRACE]).toContain('at logFailures');
    },
  );

  onBoth(
    'globalThis is frozen before the start, the missing stacks are logged once and the spans stay',
    async (combination) => {
      const result = await run(combination, 'hostile-global.cjs', { ...ownTelemetry, args: ['before'] });
      const qualities = spansOfBlocks(result).map(({ attributes }) => attributes[ATTR_BLOCKED_STACK_QUALITY]);
      expect(qualities).toEqual(['none', 'none']);
      expect(new Set(frozenDiags(result)).size).toBe(1);
    },
  );

  onBoth('globalThis is frozen after the start, the culprit is found', async (combination) => {
    const result = await run(combination, 'hostile-global.cjs', { ...ownTelemetry, args: ['after'] });
    const [frozen, enabledAgain] = spansOfBlocks(result);
    expectCulprit(frozen, 'spin');
    // The frozen globalThis keeps the disabled probe and takes no second one.
    expect(enabledAgain?.attributes[ATTR_BLOCKED_STACK_QUALITY]).toBe('none');
    expect(frozenDiags(result)).toHaveLength(1);
  });

  onBoth('the application calls the probe in every way, the probe answers and changes nothing', async (combination) => {
    const result = await run(combination, 'hostile-probe.cjs', ownTelemetry);
    expect(result.notes.get('property')).toEqual({
      configurable: true,
      enumerable: false,
      writable: false,
      isFrozen: true,
    });
    expect(result.notes.get('answers')).toEqual(['number']);
    expect(result.notes.get('errors at the end of the stack')).toEqual(['RangeError']);
    expect(result.notes.get('is unchanged')).toBe(true);
    // The watchdog still asks the probe after six impostors took its place, each during a hang.
    expectCulprit(spansOfBlocks(result)[0], 'spin');
    expect(result.diags.filter(({ message }) => message.includes('No watchdog'))).toEqual([]);
  });
});

// What the instrumentation itself makes of it: the oldest and the newest share the tests. A job for one has them all.
const oldest = oldestAndNewest[0]!;
const newest = oldestAndNewest.at(-1)!;

describe('When', () => {
  test.concurrent(
    'names of functions and files contain escape sequences, line breaks and 10,000 characters, the attributes are printable and bounded',
    async () => {
      const spans = spansOfBlocks(await run(oldest, 'hostile-names.cjs'));
      expect(spans).toHaveLength(4);
      const named = spans.filter(({ attributes }) => attributes[ATTR_CODE_FUNCTION_NAME] !== undefined);
      expect(named.length).toBeGreaterThan(0);
      for (const { attributes } of named) {
        const [name, file, stack, profile] = [
          ATTR_CODE_FUNCTION_NAME,
          ATTR_CODE_FILE_PATH,
          ATTR_CODE_STACKTRACE,
          ATTR_BLOCKED_PROFILE,
        ].map((key) => String(attributes[key]));
        expect(`${name}${file}`).not.toMatch(/[\p{Cc}\p{Cs}\u2028\p{Bidi_Control}]/u);
        expect(name!.length).toBeLessThanOrEqual(512);
        expect(file!.length).toBeLessThanOrEqual(512);
        expect(stack).toMatch(/^( {4}at [^\p{Cc}]+(\n|$))+$/u);
        expect(profile).toMatch(/^([^\p{Cc}]+ \d+(\n(?=.)|$))+$/u);
      }
      // A name that looks like two lines of a profile stays within one line.
      expect(JSON.stringify(spans.map(({ attributes }) => attributes[ATTR_BLOCKED_PROFILE]))).not.toMatch(
        /injected 9999"/,
      );
    },
  );

  test.concurrent(
    'spans, contexts and resources have getters that throw, every block is reported and no getter is called during it',
    async () => {
      const result = await run(newest, 'hostile-contexts.cjs');
      const spans = spansOfBlocks(result);
      expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([undefined, undefined, undefined]);
      for (const span of spans) expectCulprit(span, 'spin');
      expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBe(3);
      for (const id of ['span', 'context', 'resource']) expect(result.notes.get(`calls in ${id}`)).toBe(0);
      expect(result.diags.filter(({ level }) => level !== 'info')).toEqual([]);
    },
  );

  test.concurrent('the blockHook blocks, it is not called for its own blocks', async () => {
    const result = await run(oldest, 'hostile-hook.cjs', ownTelemetry);
    const calls = result.notes.get('calls') as { readonly all: number; readonly own: number };
    expect(calls.own).toBe(0);
    expect(calls.all).toBeGreaterThan(0);
    expect(spansOfBlocks(result)).toHaveLength(1);
    expect(result.diags.filter(({ message }) => message.includes('blockHook has blocked'))).toHaveLength(1);
  });

  test.concurrent('the blockHook and the logger throw, no block is lost', async () => {
    const result = await run(newest, 'hostile-logger.cjs', ownTelemetry);
    expectCulprit(spansOfBlocks(result)[0], 'spin');
  });
});

// Node 20 and 22 call the replaced built-ins in their own observers and hooks.
test.concurrent(
  'On Node 24, a program that replaces built-ins by ones that throw survives, and its blocks are reported once it has restored them',
  async () => {
    const node24 = defaultCombination;
    const result = await run(node24, 'hostile-prototypes.cjs', { timeoutMs: 60_000 });
    expect(result.notes.get('survived')).toBeGreaterThan(20);
    expectCulprit(spansOfBlocks(result)[0], 'spinFor');
  },
);

function frozenDiags({ diags }: RunResult): string[] {
  return diags.map(({ message }) => message).filter((message) => message.includes('globalThis is frozen'));
}
