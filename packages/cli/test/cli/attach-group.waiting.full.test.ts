import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePorts } from '@loopwatch/test-support/free-port';

import type { ProcessDump } from '../../src/model/processes/dump.js';
import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, runCli, startCli } from '../support/cli.js';
import { listeningSockets } from '../support/listening.js';
import { TargetProcess } from '../support/target.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-attach-group-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/**
 * A cluster of a primary and two workers. By `cluster`, all have the same port for their inspectors, as without a flag; by
 * another way, each worker has the next one.
 */
async function startCluster(way = 'cluster'): Promise<TargetProcess> {
  const [port] = await freePorts(3);
  const target = await TargetProcess.hang(way, { flags: [`--inspect-port=${port}`] });
  await target.waitFor(/(ready\n[^]*){3}/);
  return target;
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

test.concurrent.each([
  ['dump', 'clusterOfPorts'],
  ['attach --for 1s', 'clusterOfPorts'],
  ['attach --all --for 3s', 'clusterOfPorts'],
  ['dump', 'titledCluster'],
  ['dump --all', 'titledCluster'],
  ['attach --all --for 1s', 'titledCluster'],
])(
  'the inspectors that a primary has opened in its cluster workers are closed again (%s, %s)',
  async (command, way) => {
    await using target = await startCluster(way);
    expectSuccess(await runCli([...command.split(' '), String(target.pid)]));
    const workers = childrenOf(target.pid);
    expect(workers).toHaveLength(2);
    expect([target.pid, ...workers].flatMap(listeningSockets)).toEqual([]);
  },
);

describe('--all', () => {
  test.concurrent(
    'attach watches cluster workers that have set their titles, and so hide the ports of their inspectors',
    async () => {
      await using target = await startCluster('titledCluster');
      const result = await runCli(['attach', '--all', '--for', '0.2s', String(target.pid)]);
      expectSuccess(result);
      expect(result.stderr).toMatch(/(Attached to process[^]*){3}/);
      expect(result.stderr).not.toMatch(/(Attached to process[^]*){4}|is not watched/);
    },
  );

  test.concurrent('attach watches for the time of --for from when all processes are attached', async () => {
    await using target = await startCluster();
    // Each attach takes longer than that.
    const result = await runCli(['attach', '--all', '--for', '0.2s', String(target.pid)]);
    expectSuccess(result);
    expect(result.stderr.match(/Attached to process/g)).toHaveLength(3);
  });

  test.concurrent('attach watches a cluster, and a worker that is forked later', async () => {
    await using target = await startCluster();
    const json = path.join(directory, 'out.json');
    const cli = startCli(['attach', '--all', '--json', json, String(target.pid)]);
    await cli.waitFor(/(Attached to process[^]*){3}/);
    target.kill('SIGHUP'); // the primary kills a worker, and forks another one
    await cli.waitFor(/Process \d+ has ended by a signal or a crash\.[^]*Attached to process/);
    cli.child.kill('SIGINT');
    expectSuccess(await cli.result);
    expect(target.isAlive).toBe(true);
    const { processes, blocks } = JSON.parse(await readFile(json, 'utf8')) as Recording;
    expect(processes).toHaveLength(4);
    expect(new Set(blocks.map(({ instance }) => instance)).size).toBeGreaterThanOrEqual(2);
  });

  test.concurrent('attach says which process it cannot watch, and watches the others', async () => {
    await using target = await TargetProcess.hang('unreachableChild');
    const cli = startCli(['attach', '--all', String(target.pid)]);
    await cli.waitFor(/Attached to process/);
    await cli.waitFor(
      /Process \d+ \(.*hang\.cjs\) is not watched: Expected .* on SIGUSR1, found one that was started with --disable-sigusr1/,
    );
    cli.child.kill('SIGINT');
    expectSuccess(await cli.result);
    expect(target.isAlive).toBe(true);
  });

  test.concurrent('attach ends when all processes have ended', async () => {
    await using target = await startCluster();
    const cli = startCli(['attach', '--all', String(target.pid)]);
    await cli.waitFor(/(Attached to process[^]*){3}/);
    target.kill('SIGKILL'); // the workers exit when the primary has gone
    expectSuccess(await cli.result);
  });

  test.concurrent.each(['cluster', 'busyCluster'])('dump shows each process of a cluster (%s)', async (way) => {
    await using target = await startCluster(way);
    const result = await runCli(['dump', '--all', '--json', String(target.pid)]);
    expectSuccess(result);
    const dumps = JSON.parse(result.stdout.toString()) as ProcessDump[];
    expect(dumps).toHaveLength(3);
    expect(dumps[0]!.pid).toBe(target.pid);
  });

  test.concurrent(
    'dump says which process of a cluster cannot be asked because a hung one keeps the port',
    async () => {
      await using target = await startCluster('hungCluster');
      const result = await runCli(['dump', '--all', '--json', String(target.pid)]);
      expectSuccess(result);
      expect(JSON.parse(result.stdout.toString())).toHaveLength(2);
      expect(result.stderr).toMatch(/Process \d+: Expected port \d+ to be free .*, found it is taken by process \d+/);
    },
  );

  test.concurrent('refuses a program without a Node.js process', async () => {
    await using target = TargetProcess.command('sleep', '60');
    const { code, stderr } = await runCli(['attach', '--all', String(target.pid)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('or below it, found none below it.')]);
    expect(target.isAlive).toBe(true);
  });
});
