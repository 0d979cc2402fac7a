import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { casesOn, combinationPerMajor, describeCombination, runProgram } from '@loopwatch/test-support';
import type { Combination, RunResult } from '@loopwatch/test-support';

import { METRIC_EVENT_LOOP_LAG } from '../../src/semconv.ts';
import { otlpReceiver } from './otlp-receiver.ts';
import { fixtureTree } from './support.ts';

const kinds = [
  'does nothing',
  'does nothing, and one of exit throws',
  'starts a timer',
  'starts an immediate',
  'starts to read a file, after two jobs',
  'is called first and starts a timer',
] as const;

async function run(
  combination: Combination,
  kind: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<RunResult> {
  const tree = await fixtureTree(combination);
  return runProgram({ combination, tree, program: 'before-exit.cjs', args: [kind], preload: 'none', flags, env });
}

const REGISTER = ['--import', '@loopwatch/instrumentation-event-loop/register'];

/** Before Node.js 24, an SDK switches async_hooks on, which have a frame of their own on the stack of an error. */
const FRAME_OF_HOOKS = /\n +at process\.callbackTrampoline .*/;

function endingOf({ exitCode, signal, stdout, stderr }: RunResult): Partial<RunResult> {
  return { exitCode, signal, stdout, stderr: stderr.replace(FRAME_OF_HOOKS, '') };
}

describe.each(combinationPerMajor.map((combination) => [describeCombination(combination), combination] as const))(
  '%s: under register a program ends as without it where its listener of beforeExit',
  (_label, combination) => {
    test.concurrent.each(casesOn(combination, kinds))('%s', async (kind) => {
      await using receiver = await otlpReceiver();
      const plain = await run(combination, kind, receiver.env);
      const registered = await run(combination, kind, receiver.env, REGISTER);
      expect(plain.stdout).toMatch(/^beforeExit 1\n/);
      expect(endingOf(registered)).toEqual(endingOf(plain));
      expect(receiver.metricNames).toContain(METRIC_EVENT_LOOP_LAG);
    });
  },
);

test('a receiver that never answers holds up no program whose listener of beforeExit has started nothing', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const connected = new Promise((resolve) => silent.once('connection', resolve));
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    // Longer than the test waits for the program.
    OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
    OTEL_BSP_EXPORT_TIMEOUT: '600000',
    OTEL_METRIC_EXPORT_TIMEOUT: '59000',
    OTEL_METRIC_EXPORT_INTERVAL: '600000',
  };
  try {
    const { exitCode, signal, stdout } = await run(combinationPerMajor.at(-1)!, 'does nothing', env, REGISTER);
    await connected;
    expect({ exitCode, signal, stdout }).toEqual({ exitCode: 0, signal: null, stdout: 'beforeExit 1\nexit 0\n' });
  } finally {
    silent.close();
  }
});
