import { runProgram } from '@loopwatch/test-support';
import type { Combination, ProgramTree, RunResult } from '@loopwatch/test-support';
import { expect } from '@jest/globals';

import { METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { otlpReceiver } from './otlp-receiver.ts';

const ATTEMPTS = 3;

interface SignalledProgram {
  readonly combination: Combination;
  readonly tree: ProgramTree;
  readonly program: string;
  readonly args: readonly string[];
  readonly signal: NodeJS.Signals;
}

/** Sends the signal to a program that has printed `ready`, without us and under `/register`: both end in the same way. */
export async function expectSameEnding(options: SignalledProgram): Promise<RunResult> {
  await using receiver = await otlpReceiver();
  const plain = await signalled(options, [], receiver.env);
  for (let attempt = 1; ; attempt++) {
    const registered = await signalled(
      options,
      ['--import', '@loopwatch/instrumentation-event-loop/register'],
      receiver.env,
    );
    expect(endingOf(registered)).toEqual(endingOf(plain));
    // The metrics of the first minute: they were exported because of the signal. The application's listeners wait for
    // that for half a second at most, and a host on which the process stalls may take longer.
    if (attempt === ATTEMPTS) expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_LAG);
    if (receiver.metricNames.has(METRIC_EVENT_LOOP_LAG)) return registered;
  }
}

function signalled(
  { combination, tree, program, args, signal }: SignalledProgram,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunResult> {
  return runProgram({
    combination,
    tree,
    program,
    args,
    preload: 'none',
    flags,
    env,
    onStart: (child) => {
      child.stdout?.on('data', (text: string) => {
        if (text.includes('ready')) child.kill(signal);
      });
    },
  });
}

function endingOf({ exitCode, signal, stdout, stderr }: RunResult): Partial<RunResult> {
  return { exitCode, signal, stdout, stderr };
}
