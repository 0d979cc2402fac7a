import process from 'node:process';

import { afterEach, expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { expectSuccess, fixture, runCli } from '../support/cli.js';

/** `/proc` shows the processes that go on. */
const onLinux = (process.platform === 'linux' ? test : test.skip) as typeof test;
let daemon: number | undefined;

afterEach(() => {
  if (daemon !== undefined) process.kill(daemon, 'SIGKILL');
  daemon = undefined;
});

onLinux.each(sampledMajors(20, 26))(
  'a daemon is said to go on after the end of run, is no longer watched, and can be attached to, on Node.js %d',
  async (major) => {
    const result = await runCli(['run', '--', 'node', fixture('leaves-daemon.cjs')], { major });
    daemon = Number(result.stdout.toString());
    expectSuccess(result);
    expect(result.stderr).toContain(
      'loopwatch The program has ended; 1 Node.js process goes on, and is no longer watched (node ',
    );
    expect(result.stderr).toContain(`To watch it: loopwatch attach ${daemon}\n`);
    await isNotWatched(daemon);
    const { stderr } = await runCli(['attach', String(daemon), '--for', '2s']);
    expect(stderr).toMatch(/renderPage .*leaves-daemon\.cjs:6/);
  },
);

/** It learns of the end of `run` when it writes its next record. */
async function isNotWatched(pid: number): Promise<void> {
  const deadlineAt = performance.now() + 20_000;
  for (;;) {
    const { stdout } = await runCli(['ps', '--json']);
    const processes = JSON.parse(stdout.toString()) as { pid: number; watched: boolean }[];
    if (processes.find((found) => found.pid === pid)?.watched === false) return;
    if (performance.now() > deadlineAt) throw new Error(`Process ${pid} is still watched.`);
  }
}
