import type { ChildProcess } from 'node:child_process';

import { expect } from '@jest/globals';
import type { Combination, RunResult } from '@loopwatch/test-support';

import type { HangReceiver } from './hang-receiver.ts';
import type { FixtureOptions } from './support.ts';
import { runOnce } from './thread-support.ts';

export const hangThresholdMs = 600;
/** Reported at 0.6, 1.2 and 2.4 s. */
export const longHang = { way: 'javascript', ms: 3000 };
/** Reported once; it ends before the gauge of stalled threads begins. */
export const shortHang = { way: 'javascript', ms: 900 };

export interface Hang {
  readonly way: string;
  readonly ms?: number;
}

/** Runs a program that hangs; `env` is the environment that configures an OTLP exporter. */
export function runHang(
  combination: Combination,
  { way, ms = 0 }: Hang,
  env: Readonly<Record<string, string>>,
  options: FixtureOptions = {},
): Promise<RunResult> {
  return runOnce(combination, 'hang-program.cjs', {
    args: [way, String(ms)],
    telemetry: { instrumentation: { hangThresholdMs } },
    env,
    ...options,
  });
}

/** Kills the program when the condition holds on the receiver: the program cannot end by itself. */
export function killedWhen(receiver: HangReceiver, condition: () => boolean): FixtureOptions {
  return {
    onStart: (child: ChildProcess) => {
      void receiver.until(condition).then(() => child.kill('SIGKILL'));
    },
  };
}

export function expectKilled({ exitCode, signal }: RunResult): void {
  expect({ exitCode, signal }).toEqual({ exitCode: null, signal: 'SIGKILL' });
}
