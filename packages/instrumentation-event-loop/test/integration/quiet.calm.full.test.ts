import { describe, expect, test } from '@jest/globals';
import {
  blockedSpans,
  casesOn,
  combinationPerMajor,
  describeCombination,
  judgedOn,
  oldestAndNewest,
} from '@loopwatch/test-support';
import type { Attributes, Combination, RunResult } from '@loopwatch/test-support';

import { ATTR_BLOCKED_CAUSE, METRIC_EVENT_LOOP_BLOCKED_DURATION } from '../../src/semconv.ts';
import { pauseAtBreakpoint } from './debugger-client.ts';
import { expectCleanExit, runFixture, wasStarved } from './support.ts';
import type { FixtureOptions } from './support.ts';

interface Scenario extends FixtureOptions {
  readonly label: string;
  readonly program: string;
  /** Fails if the program did not come into the situation. */
  readonly expectTried?: (result: RunResult, nodeMajor: number) => void;
}

/** Loading and the threads of V8 are of each major. */
const startUps: readonly Scenario[] = [
  {
    label: 'a CommonJS program starts up, with telemetry by --require',
    program: 'quiet-start-up.cjs',
    preload: 'require',
  },
  {
    label: 'a CommonJS program starts up, with telemetry by --import',
    program: 'quiet-start-up.cjs',
    preload: 'import',
  },
  { label: 'an ES module starts up, with telemetry by --require', program: 'quiet-start-up.mjs', preload: 'require' },
  { label: 'an ES module starts up, with telemetry by --import', program: 'quiet-start-up.mjs', preload: 'import' },
  {
    label: "V8's threads compile WebAssembly, and nothing keeps the loop alive",
    program: 'quiet-wasm.cjs',
    flags: ['--no-wasm-lazy-compilation', '--no-liftoff'],
    expectTried: ({ notes }, nodeMajor) => {
      // Later versions do not wait: the program ends in the middle of the compilation.
      if (nodeMajor <= 22) expect(notes.get('compiledMs')).toBeGreaterThan(100);
    },
  },
];

/** What a loop does when it is not blocked is the same on the oldest and the newest, which take turns. */
const scenarios: readonly Scenario[] = [
  { label: 'work is done in chunks below the threshold', program: 'quiet-cooperative.cjs' },
  { label: 'quick callbacks follow one another', program: 'quiet-quick-callbacks.cjs' },
  { label: 'another thread is busy', program: 'quiet-neighbour.cjs' },
  { label: 'another thread sleeps in a call', program: 'quiet-sleeping-neighbour.cjs' },
  { label: 'nothing happens', program: 'quiet-idle.cjs' },
  {
    label: 'SIGSTOP stops the process and SIGCONT continues it',
    program: 'quiet-stopped.cjs',
    onStart: (child) => {
      child.stdout?.once('data', () => {
        child.kill('SIGSTOP');
        setTimeout(() => child.kill('SIGCONT'), 900);
      });
    },
  },
];

const labelled = (combinations: readonly Combination[]) =>
  combinations.map((combination) => [describeCombination(combination), combination] as const);

describe.each(labelled(combinationPerMajor))('%s: nothing is reported when', (_label, combination) => {
  test.concurrent.each(casesOn(combination, startUps).map((scenario) => [scenario.label, scenario] as const))(
    '%s',
    // Code is compiled, as at the first start of a program.
    (_scenario, scenario) =>
      expectNothingReported(combination, { ...scenario, env: { NODE_DISABLE_COMPILE_CACHE: '1' } }),
  );
});

describe.each(labelled(oldestAndNewest))('%s: nothing is reported when', (_label, combination) => {
  test.concurrent.each(judgedOn(combination, scenarios).map((scenario) => [scenario.label, scenario] as const))(
    '%s',
    (_scenario, scenario) => expectNothingReported(combination, scenario),
  );

  test.concurrent('a debugger pauses the program at a breakpoint', async () => {
    let session: Promise<void> | undefined;
    const result = await runFixture(combination, 'quiet-breakpoint.cjs', {
      flags: ['--inspect=127.0.0.1:0'],
      onStart: (child) => {
        session = pauseAtBreakpoint(child, 1200);
      },
    });
    await session;
    expectCleanExit(result);
    expect(result.notes.get('pausedMs')).toBeGreaterThan(1000);
    expectQuiet(result);
  });
});

async function expectNothingReported(combination: Combination, scenario: Scenario): Promise<void> {
  const { program, expectTried, ...options } = scenario;
  const result = await runFixture(combination, program, options);
  expectCleanExit(result);
  expectTried?.(result, combination.nodeMajor);
  expectQuiet(result);
}

/** Expects no block on spans or metrics, except blocks of the cause `cpu_starved` when the machine starved the program. */
function expectQuiet(result: RunResult): void {
  const isExcused = ({ attributes }: { attributes: Attributes }): boolean =>
    wasStarved(result) && attributes[ATTR_BLOCKED_CAUSE] === 'cpu_starved';
  expect(blockedSpans(result).filter((span) => !isExcused(span))).toEqual([]);
  const counted = result.metrics
    .filter(({ name }) => name === METRIC_EVENT_LOOP_BLOCKED_DURATION)
    .flatMap(({ dataPoints }) => dataPoints);
  expect(counted.filter((point) => !isExcused(point))).toEqual([]);
}

describe('An idle loop', () => {
  test('runs hardly more iterations with the instrumentation than without it', async () => {
    const combination = combinationPerMajor.find(({ nodeMajor }) => nodeMajor === 24)!;
    const iterationsWith = (await runFixture(combination, 'quiet-idle.cjs')).notes.get('iterations') as number;
    const iterationsWithout = (
      await runFixture(combination, 'quiet-idle.cjs', { telemetry: { instrumentation: false } })
    ).notes.get('iterations') as number;
    // The heartbeat adds a few; a meter that kept the loop spinning would add thousands.
    expect(iterationsWith - iterationsWithout).toBeLessThan(200);
  });
});
