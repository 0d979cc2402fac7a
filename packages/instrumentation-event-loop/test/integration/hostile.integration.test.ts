import { describe, expect, test } from '@jest/globals';
import { combinations, describeCombination, durationMs, histogram } from '@loopwatch/test-support';
import type { Combination, RunResult, SpanRecord } from '@loopwatch/test-support';

import {
  ATTR_BLOCKED_CAUSE,
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

// The oldest and the newest: what V8 does with a stack and a poisoned realm depends on Node, and hardly on the SDK.
const oldest = combinations[0]!;
const newest = combinations.at(-1)!;
const both = [oldest, newest].map((combination) => [describeCombination(combination), combination] as const);
const ownTelemetry = { preload: 'none' } as const;

async function run(combination: Combination, program: string, options: FixtureOptions = {}): Promise<RunResult> {
  const result = await runFixture(combination, program, options);
  expectCleanExit(result);
  expect(result.stderr).toBe('');
  return result;
}

/** Live and by name; a thread that waited for a CPU for most of its block may have answered when that was over. */
function expectNamed(span: SpanRecord | undefined, functionName: string): void {
  expect(span).toBeDefined();
  const { [ATTR_BLOCKED_CAUSE]: cause, [ATTR_BLOCKED_RUN_QUEUE_TIME]: runQueueSeconds } = span!.attributes;
  if (cause === 'cpu_starved' && Number(runQueueSeconds) * 1000 >= durationMs(span!) / 2) return;
  expect(span?.attributes).toMatchObject({
    [ATTR_CODE_FUNCTION_NAME]: functionName,
    [ATTR_BLOCKED_STACK_QUALITY]: 'live',
  });
}

describe.each(both)('%s: a program in which', (_label, combination) => {
  test('names of functions and files hold escape sequences, line breaks and 10,000 characters gets sound attributes', async () => {
    const spans = spansOfBlocks(await run(combination, 'hostile-names.cjs'));
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
      expect(`${name}${file}`).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u202e]/u);
      expect(name!.length).toBeLessThanOrEqual(512);
      expect(file!.length).toBeLessThanOrEqual(512);
      expect(stack).toMatch(/^( {4}at [^\p{Cc}]+(\n|$))+$/u);
      expect(profile).toMatch(/^([^\p{Cc}]+ \d+(\n(?=.)|$))+$/u);
    }
    // What looks like two lines of a profile is a name in one.
    expect(JSON.stringify(spans.map(({ attributes }) => attributes[ATTR_BLOCKED_PROFILE]))).not.toMatch(
      /injected 9999"/,
    );
  });

  test('the stack is 10,000 calls deep is told who blocked', async () => {
    const options = { args: ['10000'], flags: ['--stack-size=3900'] };
    const result = await run(combination, 'hostile-depth.cjs', options);
    expect(result.notes.get('depth')).toBe(10_000);
    expectNamed(spansOfBlocks(result)[0], 'spin');
  });

  test('hardly any stack is left goes on, and its block has its length', async () => {
    const result = await run(combination, 'hostile-depth.cjs', { args: ['edge'] });
    const [span, ...others] = spansOfBlocks(result);
    expect(others).toEqual([]);
    const [truth] = result.truths;
    expect(durationMs(span!) / (truth!.endNowMs - truth!.startNowMs)).toBeGreaterThan(0.9);
  });

  test('Error is frozen, its limit 0 and its hooks throw is told who blocked, and nothing of it is called or changed', async () => {
    const result = await run(combination, 'hostile-errors.cjs');
    expectNamed(spansOfBlocks(result)[0], 'spin');
    expect(result.notes.get('left')).toEqual({ calls: 0, limit: 0, own: true });
  });

  test('globalThis was frozen before is told once what cannot work, and keeps its spans', async () => {
    const result = await run(combination, 'hostile-global.cjs', { ...ownTelemetry, args: ['before'] });
    const qualities = spansOfBlocks(result).map(({ attributes }) => attributes[ATTR_BLOCKED_STACK_QUALITY]);
    expect(qualities).toEqual(['none', 'none']);
    expect(new Set(frozenDiags(result)).size).toBe(1);
  });

  test('globalThis is frozen later is told who blocked', async () => {
    const result = await run(combination, 'hostile-global.cjs', { ...ownTelemetry, args: ['after'] });
    const [frozen, enabledAgain] = spansOfBlocks(result);
    expectNamed(frozen, 'spin');
    // The place on it is not to be had again once it was given back.
    expect(enabledAgain?.attributes[ATTR_BLOCKED_STACK_QUALITY]).toBe('none');
    expect(frozenDiags(result)).toHaveLength(1);
  });

  test('spans, contexts and resources have getters that throw has every block told, and none of them called in it', async () => {
    const result = await run(combination, 'hostile-contexts.cjs');
    const spans = spansOfBlocks(result);
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([undefined, undefined, undefined]);
    for (const span of spans) expectNamed(span, 'spin');
    expect(histogram(result, METRIC_EVENT_LOOP_BLOCKED_DURATION)?.count).toBe(3);
    for (const id of ['span', 'context', 'resource']) expect(result.notes.get(`calls in ${id}`)).toBe(0);
    expect(result.diags.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('the blockHook blocks has it called for its own blocks not once', async () => {
    const result = await run(combination, 'hostile-hook.cjs', ownTelemetry);
    const calls = result.notes.get('calls') as { readonly all: number; readonly own: number };
    expect(calls.own).toBe(0);
    expect(calls.all).toBeGreaterThan(0);
    expect(spansOfBlocks(result)).toHaveLength(1);
    expect(result.diags.filter(({ message }) => message.includes('blockHook has blocked'))).toHaveLength(1);
  });

  test('the hook and the logger throw loses no block', async () => {
    const result = await run(combination, 'hostile-logger.cjs', ownTelemetry);
    expectNamed(spansOfBlocks(result)[0], 'spin');
  });

  test('the probe is called by others, in every way, is answered and not changed', async () => {
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
    // After six impostors in its place, each of which was asked about a hang, the watchdog still asks.
    expectNamed(spansOfBlocks(result)[0], 'spin');
    expect(result.diags.filter(({ message }) => message.includes('No watchdog'))).toEqual([]);
  });
});

// Node 20 and 22 call what was replaced themselves, in their own observers and hooks.
test('On Node 24, a program that replaces built-ins by ones that throw lives on, and is watched when it has put them back', async () => {
  const node24 = combinations.find(({ nodeMajor, sdk }) => nodeMajor === 24 && sdk === 'sdk3')!;
  const result = await run(node24, 'hostile-prototypes.cjs', { timeoutMs: 60_000 });
  expect(result.notes.get('survived')).toBeGreaterThan(20);
  expectNamed(spansOfBlocks(result)[0], 'spinFor');
});

function frozenDiags({ diags }: RunResult): string[] {
  return diags.map(({ message }) => message).filter((message) => message.includes('globalThis is frozen'));
}
