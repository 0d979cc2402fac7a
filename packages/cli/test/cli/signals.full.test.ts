import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import { fixture, type RunningCli, startCli } from '../support/cli.js';

const onLinux = process.platform === 'linux' ? describe : describe.skip;
/** Has a terminal as stdin, stdout and stderr. */
const IN_TERMINAL = ['sh', '-c', 'exec script -qec "$*" /dev/null', 'sh'];

function start(major?: (typeof nodeMajors)[number]): RunningCli {
  const options = { ownGroup: true, ...(major !== undefined && { major }) };
  return startCli(['run', '--quiet', '--', 'node', fixture('signals.cjs')], options);
}

/** What the program has printed, without its first line, when SIGTERM to `loopwatch` alone has ended it. */
async function end({ child, result }: RunningCli): Promise<string[]> {
  await delay(100); // in which a signal that came before may arrive again
  child.kill('SIGTERM');
  return (await result).stdout.toString().trim().split('\n').slice(1);
}

async function hasEnded(group: number): Promise<boolean> {
  for (let count = 0; count < 200; count++) {
    try {
      process.kill(-group, 0);
    } catch {
      return true;
    }
    await delay(50);
  }
  return false;
}

onLinux('a signal arrives at the program as often as without loopwatch run', () => {
  test.each(nodeMajors)('when it goes to the whole process group, on Node.js %d', async (major) => {
    const running = start(major);
    await running.waitFor(/parent/);
    process.kill(-running.child.pid!, 'SIGINT');
    await running.waitFor(/got SIGINT/);
    expect(await end(running)).toEqual(['got SIGINT', 'got SIGTERM']);
  });

  test('when it goes to the group again and again, and to loopwatch alone in between', async () => {
    const running = start();
    await running.waitFor(/parent/);
    const pid = running.child.pid!;
    const expected: string[] = [];
    // That one signal is forwarded shows that the CLI has dealt with the one before.
    for (let count = 0; count < 5; count++) {
      await delay(100); // meanwhile, the sentinel that was hit has been replaced
      for (const [target, signal] of [
        [-pid, 'SIGINT'],
        [pid, 'SIGUSR2'],
      ] as const) {
        process.kill(target, signal);
        expected.push(`got ${signal}`);
        await running.waitFor(new RegExp(`(got [^]*){${expected.length}}`));
      }
    }
    expect(await end(running)).toEqual([...expected, 'got SIGTERM']);
  });

  test.each(['SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGWINCH'] as const)(
    'when %s goes to loopwatch alone, without a terminal',
    async (signal) => {
      const running = start();
      await running.waitFor(/parent/);
      running.child.kill(signal);
      await running.waitFor(new RegExp(`got ${signal}`));
      expect(await end(running)).toEqual([`got ${signal}`, 'got SIGTERM']);
    },
  );

  // By default, Node.js opens its inspector on SIGUSR1: two processes of a group would want the same port.
  test('when SIGUSR1 goes to the whole process group', async () => {
    const running = start();
    await running.waitFor(/parent/);
    process.kill(-running.child.pid!, 'SIGUSR1');
    await running.waitFor(/got SIGUSR1/);
    expect(await end(running)).toEqual(['got SIGUSR1', 'got SIGTERM']);
    const { stderr } = await running.result;
    expect(stderr).toBe('');
  });

  test('when it goes to loopwatch alone, in a terminal', async () => {
    const running = startCli(['run', '-q', '--', 'node', fixture('signals.cjs')], { under: IN_TERMINAL });
    const [, parent] = await running.waitFor(/parent (\d+)/);
    process.kill(Number(parent), 'SIGINT');
    await running.waitFor(/got SIGINT/);
    process.kill(Number(parent), 'SIGTERM');
    const { stdout } = await running.result;
    expect(stdout.toString().match(/got \w+/g)).toEqual(['got SIGINT', 'got SIGTERM']);
  });
});

onLinux('what a terminal shows of a key that ends the program', () => {
  test.each(['SIGINT', 'SIGQUIT'] as const)('has a line of its own, and so has the summary (%s)', async (signal) => {
    const program = ['node', '-e', `'console.log("process " + process.pid); setInterval(() => {}, 1000)'`];
    const running = startCli(['run', '--', ...program], { under: IN_TERMINAL });
    const [, pid] = await running.waitFor(/process (\d+)/);
    process.kill(Number(pid), signal);
    const { stdout } = await running.result;
    expect(stdout.toString()).toMatch(/^process \d+\r\n\r\n\S*loopwatch /);
  });
});

describe('loopwatch run leaves no process behind', () => {
  test('when it is killed', async () => {
    const running = start();
    const { child } = running;
    const [, parent] = await running.waitFor(/parent (\d+)/);
    expect(Number(parent)).toBe(child.pid);
    child.kill('SIGKILL');
    expect(await hasEnded(child.pid!)).toBe(true);
  });
});
