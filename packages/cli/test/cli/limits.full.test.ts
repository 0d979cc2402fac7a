import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { nodeBinary, type NodeMajor } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import { expectSuccess, fixture, runCli, startCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

const LIMIT = 80;
/** No system has a user of this id. */
const NAMELESS_ID = 1_987_654_322;
/** Node.js starts with seven. */
const THREADS = 9;

async function startLimited(way: string, major: NodeMajor): Promise<TargetProcess> {
  const program = [nodeBinary(major), '--inspect-port=0', fixture('hang.cjs'), way];
  const target = TargetProcess.command('sh', '-c', `ulimit -n ${LIMIT} && exec "$@"`, 'sh', ...program);
  await target.waitFor(/ready\n/);
  await sleep(400); // until the timer has started the way
  return target;
}

// Node.js aborts when it cannot open the descriptors of its inspector.
test.each(sampledMajors(20, 26))(
  'a process that has no descriptor left is refused, and lives, on Node.js %d',
  async (major) => {
    await using target = await startLimited('noDescriptorLeft', major);
    for (const command of [['dump'], ['attach', '--for', '1s']]) {
      const { code, stderr } = await runCli([...command, String(target.pid)]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(`found one that has ${LIMIT} of ${LIMIT} open. .*prlimit`),
      ]);
    }
    await sleep(500);
    expect(target.isAlive).toBe(true);
  },
);

test.each(sampledMajors(22, 24))(
  'a process whose descriptors run out while it is watched outlives a loopwatch that is killed, on Node.js %d',
  async (major) => {
    await using target = await startLimited('noDescriptorLeftLater', major);
    const cli = startCli(['attach', String(target.pid)]);
    await cli.waitFor(/Attached to process/);
    target.kill('SIGHUP');
    await target.waitFor(/none left\n/);
    cli.child.kill('SIGKILL');
    await cli.result;
    await sleep(1500);
    expect(target.isAlive).toBe(true);
  },
);

test.each(sampledMajors(22, 26))(
  'a process that can create no thread is refused, and lives, on Node.js %d',
  async (major) => {
    if (process.geteuid?.() !== 0) return;
    const identity = ['--reuid', String(NAMELESS_ID), '--regid', String(NAMELESS_ID), '--clear-groups'];
    const program = [nodeBinary(major), '--inspect-port=0', fixture('hang.cjs'), 'idle'];
    const script = `ulimit -u ${THREADS} && exec "$@"`;
    await using target = TargetProcess.command('setpriv', ...identity, 'bash', '-c', script, 'bash', ...program);
    await target.waitFor(/ready\n/);
    for (const command of [['dump'], ['attach', '--for', '1s']]) {
      const { code, stderr } = await runCli([...command, String(target.pid)]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/found one that can create \d, by the limit of its user/),
      ]);
    }
    await sleep(500);
    expect(target.isAlive).toBe(true);
  },
);

/** kB: enough for the process, and not for another thread. */
const ADDRESS_SPACE: Readonly<Record<NodeMajor, number>> = {
  20: 1_000_000,
  22: 1_000_000,
  24: 1_600_000,
  26: 1_600_000,
};

test.each(sampledMajors(20, 26))(
  'a process that may hardly reserve more address space is refused, and lives, on Node.js %d',
  async (major) => {
    const program = [nodeBinary(major), '--inspect-port=0', fixture('hang.cjs'), 'idle'];
    const script = `ulimit -v ${ADDRESS_SPACE[major]} && exec "$@"`;
    await using target = TargetProcess.command('bash', '-c', script, 'bash', ...program);
    await target.waitFor(/ready\n/);
    for (const command of [['dump'], ['attach', '--for', '1s']]) {
      const { code, stderr } = await runCli([...command, String(target.pid)]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/found one that has reserved \d+ of \d+ MB\. .*prlimit/),
      ]);
    }
    await sleep(500);
    expect(target.isAlive).toBe(true);
  },
);

test.each(sampledMajors(20, 26))(
  'a program that may hardly reserve more address space ends under run as alone, on Node.js %d',
  async (major) => {
    const script = `ulimit -v ${ADDRESS_SPACE[major]} && exec node "$1"`;
    const { code, stderr } = await runCli(['run', '--', 'bash', '-c', script, 'bash', fixture('blocks.cjs')], {
      major,
    });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^loopwatch \d+ blocks? by /m)]);
  },
);

test.each(sampledMajors(20, 24))(
  'a worker thread whose heap is nearly full is not watched, and lives, on Node.js %d',
  async (major) => {
    await using target = await TargetProcess.hang('nearlyFullWorker', { major });
    await target.waitFor(/filled\n/);
    const { code, stderr } = await runCli(['attach', '--for', '1s', String(target.pid)]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/Worker thread 1 .* is not watched: its heap is nearly full/),
    ]);
    expect(target.isAlive).toBe(true);
  },
);

test.each(sampledMajors(20, 26))(
  'a program in which no watchdog can start is watched without it, and the summary says why, on Node.js %d',
  async (major) => {
    const result = await runCli(['run', '--', nodeBinary(major), fixture('frozen-global.cjs')]);
    expectSuccess(result);
    expect(result.stdout.toString()).toBe('done\n');
    expect(result.stderr).toMatch(/^loopwatch 1 block by 1 culprit in /m);
    expect(result.stderr).toMatch(
      /^loopwatch In process \d+: No watchdog thread \(globalThis is frozen\): blocks are reported without stack, /m,
    );
  },
);
