import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';
import { canUnshare } from '../support/namespaces.js';
import { TargetProcess } from '../support/target.js';

/** Without permission to create namespaces, the tests are shown as skipped. */
const testInNamespaces = canUnshare('--map-root-user', '--mount', '--net', '--pid', '--fork') ? test : test.skip;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-container-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** A process with a temporary directory of its own, and its id in a pid namespace of its own, as in a container. */
const MOUNT_AND_PID = ['--map-root-user', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const OWN_TEMPORARY = 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/own && TMPDIR=/mnt exec "$@"';

describe('a process in a container', () => {
  testInNamespaces('gets no signal from a command that sees the /proc of another pid namespace', async () => {
    await using target = await TargetProcess.hang('interval');
    const under = ['unshare', '--map-root-user', '--pid', '--fork', '--kill-child'];
    for (const command of ['dump', 'attach', 'ps']) {
      const { code, stderr } = await runCli([command, ...(command === 'ps' ? [] : [String(target.pid)])], { under });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/in \/proc, found \d+\. .*another pid namespace/)]);
    }
    expect(target.isAlive).toBe(true);
  });

  testInNamespaces('is watched through its own file system, and nothing of the channel stays there', async () => {
    await using target = await TargetProcess.hangUnder(
      ['unshare', ...MOUNT_AND_PID, 'sh', '-c', OWN_TEMPORARY, 'sh'],
      'interval',
    );
    const json = path.join(directory, 'out.json');
    const pid = target.nodePid();
    const { code, stderr } = await runCli(['attach', '--for', '4s', '--json', json, String(pid)]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('renderPage')]);
    expect(stderr).toContain(`Attached to process ${pid} (1 in its container): `);
    const { blocks, processes } = JSON.parse(await readFile(json, 'utf8')) as Recording;
    expect(blocks.map(({ culprit }) => culprit?.functionName)).toContain('renderPage');
    // Its id in the container.
    expect(processes.map((process) => process.pid)).toEqual([1]);
    expect(await readdir(path.join('/proc', String(pid), 'root', 'mnt'))).toEqual(['own']);
  });

  testInNamespaces('is told from another one, in which its process has the same id', async () => {
    const one = `setpriv --pdeathsig KILL unshare ${MOUNT_AND_PID.join(' ')} "$@"`;
    const node = [nodeBinary(), '--inspect-port=0', fixture('hang.cjs'), 'interval'];
    await using target = TargetProcess.command('sh', '-c', `${one} & ${one} & wait`, 'sh', ...node);
    await target.waitFor(/ready\n[^]*ready\n/);
    const json = path.join(directory, 'out.json');
    const { code, stderr } = await runCli(['attach', '--all', '--for', '4s', '--json', json, String(target.pid)]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/ renderPage .*pid \d+ \(1 in its container\)/)]);
    const { blocks, processes } = JSON.parse(await readFile(json, 'utf8')) as Recording;
    expect(processes.map((process) => process.pid)).toEqual([1, 1]);
    const ids = processes.map(({ id }) => id).toSorted();
    expect([...new Set(blocks.map(({ instance }) => instance))].toSorted()).toEqual(ids);
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(blocks.length);
  });

  testInNamespaces('whose temporary directory is full is not said to have had no block', async () => {
    const full = 'mount -t tmpfs -o size=64k tmpfs /mnt && head -c 65536 /dev/zero > /mnt/own; TMPDIR=/mnt exec "$@"';
    await using target = await TargetProcess.hangUnder(
      ['unshare', ...MOUNT_AND_PID, 'sh', '-c', full, 'sh'],
      'interval',
    );
    const { code, stderr } = await runCli(['attach', '--for', '2s', String(target.nodePid())]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('could not be written. Is the disk full?')]);
    expect(stderr).toContain('Nothing was recorded: ');
    expect(stderr).not.toMatch(/No block|NODE_OPTIONS/);
  });

  testInNamespaces.each(['attach', 'dump'])(
    'with a network of its own is refused by %s, with the commands that reach it',
    async (command) => {
      await using target = await TargetProcess.hangUnder(
        ['unshare', ...MOUNT_AND_PID, '--net', 'sh', '-c', OWN_TEMPORARY, 'sh'],
        'interval',
      );
      const pid = target.nodePid();
      const { code, stderr } = await runCli([command, String(pid)]);
      expect(code).toBe(1);
      expect(stderr).toContain('found one in a container with a network of its own. Run one of these:');
      expect(stderr).toContain(`  docker exec -it <container> npx loopwatch ${command} 1\n`);
      expect(stderr).toContain(`  sudo nsenter --target ${pid} --net -- npx loopwatch ${command} ${pid}\n`);
      expect(target.isAlive).toBe(true);
    },
  );

  testInNamespaces('with a network of its own is reached by the printed nsenter command', async () => {
    await using target = await TargetProcess.hangUnder(
      ['unshare', ...MOUNT_AND_PID, '--net', 'sh', '-c', `ip link set lo up; ${OWN_TEMPORARY}`, 'sh'],
      'interval',
    );
    const pid = target.nodePid();
    const { code, stderr } = await runCli(['attach', '--for', '4s', String(pid)], {
      under: ['nsenter', '--target', String(pid), '--user', '--net', '--preserve-credentials'],
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('renderPage')]);
  });

  testInNamespaces('whose loopback interface is down is refused with the reason', async () => {
    await using target = await TargetProcess.hangUnder(
      ['unshare', ...MOUNT_AND_PID, '--net', 'sh', '-c', OWN_TEMPORARY, 'sh'],
      'interval',
    );
    const pid = target.nodePid();
    const under = ['nsenter', '--target', String(pid), '--user', '--net', '--preserve-credentials'];
    for (const command of ['dump', 'attach']) {
      const { code, stderr } = await runCli([command, String(pid), '--timeout', '2s'], { under });
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /Expected the inspector .* to be reachable, found 127\.0\.0\.1:\d+ cannot be reached \(E\w+\)/,
        ),
      ]);
      expect(stderr).toContain('ip link set lo up');
    }
    expect(target.isAlive).toBe(true);
  });
});
