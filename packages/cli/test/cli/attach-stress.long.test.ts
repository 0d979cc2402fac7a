import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import { startCli } from '../support/cli.js';
import { expectState, TargetProcess } from '../support/target.js';

const ATTACHMENTS = 50;
const ENDINGS = ['SIGINT', 'SIGKILL', 'SIGTERM', 'for'] as const;
const TIMEOUT_MS = 900_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends one request after the other until `stop` is called, which returns how many failed. */
function load(port: number): { stop: () => Promise<{ readonly sent: number; readonly failed: number }> } {
  const agent = new Agent({ keepAlive: true });
  const counts = { sent: 0, failed: 0 };
  const stopping = new AbortController();
  const request = (): Promise<void> =>
    new Promise((resolve) => {
      counts.sent += 1;
      get({ host: '127.0.0.1', port, agent, path: counts.sent % 50 === 0 ? '/page' : '/' }, (response) => {
        response.resume().on('end', resolve);
      }).on('error', () => {
        counts.failed += 1;
        resolve();
      });
    });
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await request();
      await sleep(5);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running;
      agent.destroy();
      return counts;
    },
  };
}

test.each(nodeMajors)(
  `${ATTACHMENTS} attachments to a server under load, ended in every way, harm nothing, on Node.js %d`,
  async (major) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-attach-stress-'));
    await using target = await TargetProcess.hang('server', { major, killAfterMs: TIMEOUT_MS });
    const [, port] = await target.waitFor(/port (\d+)\n/);
    const warmUp = load(Number(port));
    await sleep(500);
    await warmUp.stop();
    await sleep(500);
    const before = await target.state();
    const { stop } = load(Number(port));
    for (let i = 0; i < ATTACHMENTS; i++) {
      const how = ENDINGS[i % ENDINGS.length]!;
      const options = how === 'for' ? ['--for', '1s'] : [];
      const cli = startCli(['attach', '--quiet', ...options, String(target.pid)], { env: { TMPDIR: directory } });
      if (how !== 'for') {
        // At any moment: before, during and after the injection. SIGKILL between SIGUSR1 and the first answer leaves the
        // inspector open, so it comes later.
        await sleep((how === 'SIGKILL' ? 800 : 200) + ((i * 97) % 1500));
        cli.child.kill(how);
      }
      await cli.result;
    }
    const { sent, failed } = await stop();
    expect([target.isAlive, failed]).toEqual([true, 0]);
    expect(sent).toBeGreaterThan(ATTACHMENTS * 10);
    await expectState(target, before);
    expect(await readdir(directory)).toEqual([]);
    await rm(directory, { recursive: true });
  },
  TIMEOUT_MS,
);
