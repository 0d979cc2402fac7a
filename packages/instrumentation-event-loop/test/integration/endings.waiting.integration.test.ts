import { describe, expect, test } from '@jest/globals';
import { casesOn, combinationPerMajor, describeCombination, isInnerTier } from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

import type { FixtureOptions } from './support.ts';
import { runOnce } from './thread-support.ts';

interface Ending {
  readonly label: string;
  readonly program: string;
  readonly args?: readonly string[];
  readonly exitCode: number | null;
  readonly signal?: NodeJS.Signals;
  /** The signal that the test sends after the program has announced its block. */
  readonly sent?: NodeJS.Signals;
}

const endings: readonly Ending[] = [
  { label: 'ends by itself after a block', program: 'end-naturally.cjs', exitCode: 0 },
  { label: 'ends before the watchdog has started', program: 'end-at-once.cjs', exitCode: 0 },
  { label: 'calls process.exit() in a block', program: 'end-exit-in-block.cjs', exitCode: 3 },
  { label: 'calls process.exit() right after a stack capture', program: 'end-exit-after-capture.cjs', exitCode: 0 },
  { label: 'sets an exit code', program: 'end-exit-code.mjs', exitCode: 7 },
  { label: 'blocks in its exit listener', program: 'end-exit-listener-blocks.cjs', exitCode: 0 },
  { label: 'throws in a block', program: 'end-uncaught-in-block.cjs', exitCode: 1 },
  { label: 'leaves a rejection unhandled after a block', program: 'end-unhandled-rejection.mjs', exitCode: 1 },
  { label: 'overflows its stack in a block', program: 'end-stack-overflow.cjs', exitCode: 1 },
  ...(['SIGTERM', 'SIGINT', 'SIGKILL'] as const).flatMap((signal): Ending[] => [
    {
      label: `sends itself ${signal} in a block`,
      program: 'end-kill-itself.cjs',
      args: [signal],
      exitCode: null,
      signal,
    },
    {
      label: `receives ${signal} while it blocks`,
      program: 'end-killed-while-blocked.cjs',
      exitCode: null,
      signal,
      sent: signal,
    },
  ]),
  { label: 'handles SIGTERM itself', program: 'end-own-signal-handler.cjs', exitCode: 5, sent: 'SIGTERM' },
];

/** A contributor waits for every second of them. */
const endingsOfTier = isInnerTier ? endings.filter((_, i) => i % 2 === 0) : endings;

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: a program ends as it does without the instrumentation when it',
  (_label, combination) => {
    test.concurrent.each(casesOn(combination, endingsOfTier).map((ending) => [ending.label, ending] as const))(
      '%s',
      async (__label, ending) => {
        const [instrumented, plain] = await Promise.all([
          run(combination, ending, {}),
          run(combination, ending, { instrumentation: false }),
        ]);

        expect(outcomeOf(instrumented)).toEqual(outcomeOf(plain));
        expect(instrumented.exitCode).toBe(ending.exitCode);
        expect(instrumented.signal).toBe(ending.signal ?? null);
        expect(`${instrumented.stdout}${instrumented.stderr}`).not.toMatch(/waiting for the debugger/i);
      },
    );
  },
);

function run(combination: Combination, ending: Ending, telemetry: Record<string, unknown>): Promise<RunResult> {
  const { program, args, sent } = ending;
  const options: FixtureOptions = {
    ...(args && { args }),
    telemetry: { ...telemetry, lingerMs: 0 },
    // Node.js writes it when a program ends.
    env: { NODE_DISABLE_COMPILE_CACHE: '1' },
    onStart: (child) => {
      // Some samples later, so that the signal may arrive during a stack capture or between two.
      child.stdout?.once('data', () => sent && setTimeout(() => child.kill(sent), 200));
    },
  };
  return runOnce(combination, program, options);
}

function outcomeOf({ exitCode, signal, stdout, stderr }: RunResult): Partial<RunResult> {
  return { exitCode, signal, stdout, stderr };
}
