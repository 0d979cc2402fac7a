import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from '@jest/globals';
import { sampledMajors } from '@loopwatch/test-support';

import { listeningOf } from '../../src/cli/inspect/process/sockets.js';
import { runCli } from '../support/cli.js';
import { TargetProcess } from '../support/target.js';

const commands = [['dump'], ['attach', '--for', '1s']] as const;
/** Many iterations of an event loop, in which Node.js would open the inspector a second time. */
const STAYS_CLOSED_MS = 1000;

// Node.js asks for the inspector twice: by an interrupt of V8, and by a wake-up of the event loop, which iterates later.
test.each(sampledMajors(22, 26).flatMap((major) => commands.map((command) => [command[0], major, command] as const)))(
  'the inspector of a process that a request blocks is closed after %s, and stays so, on Node.js %d',
  async (_name, major, command) => {
    await using target = await TargetProcess.hang('server', { major });
    const [, port] = await target.waitFor(/port (\d+)\n/);
    const before = listeningOf(target.pid);
    const answered = get(`http://127.0.0.1:${port}/report`);
    await sleep(100);
    const { code, stdout, stderr } = await runCli([...command, String(target.pid)]);
    expect([code, `${stdout.toString()}${stderr}`]).toEqual([
      0,
      expect.stringMatching(/inspector stays open.* until .*event loop iterates/),
    ]);
    await answered;
    await sleep(STAYS_CLOSED_MS);
    expect(listeningOf(target.pid)).toEqual(before);
    expect(target.isAlive).toBe(true);
  },
);

function get(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get(url, (response) => {
        response.resume().once('end', resolve);
      })
      .once('error', reject);
  });
}
