import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { consumerOf, programTree, runProgram } from '@loopwatch/test-support';

import { otlpReceiver } from '../otlp-receiver.ts';

const register = '@loopwatch/instrumentation-event-loop/register';
const culprits = [
  ['primary', 'blockPrimary'],
  ['first', 'blockFirstWorker'],
  ['second', 'blockSecondWorker'],
] as const;

describe('Under a process manager that runs an application as a cluster', () => {
  test('the primary and each worker report their own block, under their own process id', async () => {
    await using receiver = await otlpReceiver();
    const tree = await programTree(await consumerOf('sdk3'), path.join(import.meta.dirname, 'fixtures'));
    const result = await runProgram({
      combination: { nodeMajor: 24 },
      tree,
      program: 'cluster/processes.cjs',
      preload: 'none',
      env: { ...receiver.env, NODE_OPTIONS: `--import ${register}` },
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    const processes = result.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { role: string; pid: number });
    const pidOf = (role: string): number => processes.find((entry) => entry.role === role)!.pid;
    // An overloaded machine causes further blocks, with other culprits.
    const reported = receiver.culprits
      .map((culprit, i) => [culprit, receiver.processIds[i]])
      .filter(([culprit]) => String(culprit).startsWith('block'));
    expect(reported.sort()).toEqual(culprits.map(([role, culprit]) => [culprit, pidOf(role)]).sort());
  });
});
