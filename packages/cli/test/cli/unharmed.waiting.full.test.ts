import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import { listeningOf } from '../../src/cli/inspect/process/sockets.js';
import { type CliResult, fixture, runCli } from '../support/cli.js';
import { expectState, TargetProcess } from '../support/target.js';

const CLI = fixture('../../dist/cli.cjs');
const commands = [
  ['dump', '--timeout', '2s'],
  ['attach', '--for', '1s', '--timeout', '2s'],
] as const;
/** No system has a user of this id. */
const NAMELESS_ID = 1_987_654_321;
const UNPRIVILEGED_ID = 65_534;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-unharmed-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Both commands, which must refuse the process, and send it nothing: it is as it was. */
async function refusals(pid: number): Promise<string[]> {
  const state = await stateOf(pid);
  const messages: string[] = [];
  for (const command of commands) {
    const { code, stderr } = await runCli([...command, String(pid)]);
    expect([code, await stateOf(pid)]).toEqual([1, state]);
    messages.push(stderr);
  }
  return messages;
}

/** A shell has a handler for it only while it waits for a child. */
const SIGINT_BIT = 1n << 1n;
/** It is pending for a moment when a child of the shell ends. */
const SIGCHLD_BIT = 1n << 16n;

/** What a signal would change, by the kernel: whether there is a process, its name, its pending and handled signals. */
async function stateOf(pid: number): Promise<readonly (string | bigint | undefined)[]> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const valueOf = (field: string): string | undefined => new RegExp(`^${field}:\\s*(.*)`, 'm').exec(status)?.[1];
  const maskOf = (field: string): bigint => BigInt(`0x${valueOf(field)}`);
  const pending = ['SigPnd', 'ShdPnd'].map((field) => maskOf(field) & ~SIGCHLD_BIT);
  return [valueOf('Name'), ...pending, maskOf('SigCgt') & ~SIGINT_BIT];
}

// Side by side: outcomes of processes that mostly wait.
describe('A process that must not get a signal gets none, and is refused:', () => {
  test.concurrent.each([
    ['a shell', 'bash', ['-c', 'echo ready; while :; do sleep 0.1; done']],
    [
      'a shell with a handler for SIGUSR1',
      'bash',
      ['-c', 'trap "exit 9" USR1; echo ready; while :; do sleep 0.1; done'],
    ],
    ['a Python program', 'python3', ['-c', 'import time; print("ready", flush=True); time.sleep(60)']],
    ['a C program', 'sleep', ['60']],
  ])('%s', async (_label, command, args) => {
    await using target = TargetProcess.command(command, ...args);
    if (command !== 'sleep') await target.waitFor(/ready\n/);
    for (const message of await refusals(target.pid)) {
      expect(message).toMatch(/Expected a Node\.js process, found .*It gets no signal/);
    }
    expect(target.isAlive).toBe(true);
  });

  test.concurrent.each([
    ['without a handler for SIGUSR1', 'sleep', ['60']],
    ['with one', 'bash', ['-c', 'trap "exit 9" USR1; echo ready; while :; do sleep 0.1; done']],
  ])('another program whose binary has the name node, %s', async (label, command, args) => {
    const node = path.join(directory, label.replaceAll(' ', '-'), 'node');
    copyBinary(command, node);
    await using target = TargetProcess.command(node, ...args);
    if (command !== 'sleep') await target.waitFor(/ready\n/);
    for (const message of await refusals(target.pid))
      expect(message).toMatch(/Expected a Node\.js process, found .*It gets no signal/);
    expect(target.isAlive).toBe(true);
    const { stdout } = await runCli(['ps', '--json']);
    const listed = (JSON.parse(stdout.toString()) as { pid: number }[]).map(({ pid }) => pid);
    expect(listed).not.toContain(target.pid);
  });

  test.concurrent.each([['--disable-sigusr1'], ['--permission']])('Node.js with %s', async (flag) => {
    const flags = flag === '--permission' ? ['--allow-fs-read=*', flag] : [flag];
    await using target = await TargetProcess.hang('idle', { flags });
    for (const message of await refusals(target.pid)) expect(message).toContain(`one that was started with ${flag}`);
    expect(target.isAlive).toBe(true);
  });

  test.concurrent.each([
    ['with a name', UNPRIVILEGED_ID, 'the user .*'],
    ['without a name', NAMELESS_ID, `uid ${NAMELESS_ID}`],
  ])('a process of another user, which a user %s asks', async (_label, userId, user) => {
    await using target = await TargetProcess.hang('idle');
    const isRoot = process.geteuid?.() === 0;
    // A user that is not root asks a process of root, and root becomes a user that asks its own.
    const args = [CLI, 'dump', String(isRoot ? target.pid : 1)];
    const identity = ['--reuid', String(userId), '--regid', String(userId), '--clear-groups'];
    const child = isRoot
      ? spawn('setpriv', [...identity, nodeBinary(), ...args], { cwd: '/' })
      : spawn(nodeBinary(), args);
    const { code, stderr } = await resultOf(child);
    const expected = `Expected a process of ${isRoot ? user : 'the user .*'}, found one of uid 0`;
    expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(expected))]);
    expect(target.isAlive).toBe(true);
  });

  test.concurrent(
    'a process of this user that the kernel shows to root alone, since it has changed its user',
    async () => {
      if (process.geteuid?.() !== 0) return;
      await using target = await TargetProcess.hang('changedUser');
      const identity = ['--reuid', String(UNPRIVILEGED_ID), '--regid', String(UNPRIVILEGED_ID), '--clear-groups'];
      const args = [...identity, nodeBinary(), CLI, 'dump', String(target.pid)];
      const { code, stderr } = await resultOf(spawn('setpriv', args, { cwd: '/' }));
      const expected = 'Expected a process that this user may look into, found one that the kernel shows to root alone';
      expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
      expect(target.isAlive).toBe(true);
    },
  );

  test.concurrent(
    'a process of another user, asked by the root of a container, which may not look into it',
    async () => {
      if (process.geteuid?.() !== 0) return;
      await using target = await TargetProcess.hang('changedUser');
      const args = ['--bounding-set', '-sys_ptrace', nodeBinary(), CLI, 'dump', String(target.pid)];
      const { code, stderr } = await resultOf(spawn('setpriv', args, { cwd: '/' }));
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('Run it as the user of the process, or in a container'),
      ]);
      expect(stderr).not.toContain('Run it as root');
      expect(target.isAlive).toBe(true);
    },
  );

  test.concurrent('a process that has ended, and that its parent has not noticed yet', async () => {
    await using parent = TargetProcess.command('sh', '-c', 'sleep 0.1 & echo "child $!"; exec sleep 60');
    const [, pid] = await parent.waitFor(/child (\d+)\n/);
    await untilState(Number(pid), 'Z');
    for (const message of await refusals(Number(pid))) expect(message).toContain('found one that has ended');
  });

  test.concurrent('a process that is stopped', async () => {
    await using target = await TargetProcess.hang('idle');
    target.kill('SIGSTOP');
    await untilState(target.pid, 'T');
    for (const message of await refusals(target.pid)) expect(message).toContain(`kill -CONT ${target.pid}`);
    target.kill('SIGCONT');
    await expect(target.state()).resolves.toMatchObject({
      threads: expect.any(Number),
    });
  });

  test.concurrent('Node.js that has lost its handler, or has none yet', async () => {
    await using target = await TargetProcess.hang('removedListener');
    for (const message of await refusals(target.pid)) {
      expect(message).toMatch(
        /found one without a handler for that signal\. It gets no signal, .* It may still be starting: try again/,
      );
    }
    expect(target.isAlive).toBe(true);
  });

  test.concurrent.each(['--inspect-brk=0', '--inspect-wait=0'])(
    'Node.js with %s, which waits for a debugger',
    async (flag) => {
      await using target = TargetProcess.command(nodeBinary(), flag, fixture('hang.cjs'), 'idle');
      await eventuallyListens(target.pid);
      for (const message of await refusals(target.pid)) {
        expect(message).toContain('Expected a process that has started, found one that waits for a debugger');
      }
      expect([target.isAlive, target.output]).toEqual([true, '']);
    },
  );

  // The signal would end its read with EINTR, and the program with it.
  test.concurrent.each(sampledMajors(20, 26))(
    'one whose main thread waits in a synchronous read, on Node.js %d',
    async (major) => {
      await using target = await TargetProcess.hang('readSync', { major });
      for (const message of await refusals(target.pid)) {
        expect(message).toMatch(/found one that waits in a synchronous read of .*fifo.* \(descriptor \d+\)\./);
      }
      expect(target.isAlive).toBe(true);
    },
  );

  test.concurrent('the first process of the system', async () => {
    for (const message of await refusals(1)) expect(message).toMatch(/Expected a (Node\.js )?process/);
  });

  test.concurrent('a thread of the kernel', async () => {
    const pid = kernelThread();
    // A container shows no threads of the kernel.
    if (pid === undefined) return;
    for (const message of await refusals(pid)) {
      expect(message).toMatch(/Expected a Node\.js process, found the thread \S+ of the kernel\./);
    }
  });

  test.concurrent('a thread, whose id /proc also knows', async () => {
    await using target = await TargetProcess.hang('idle');
    const threads = await readdir(`/proc/${target.pid}/task`);
    const thread = threads.map(Number).find((id) => id !== target.pid);
    for (const message of await refusals(thread ?? 0)) {
      expect(message).toContain(`Expected the id of a process, found that of a thread of process ${target.pid}.`);
    }
    const { stderr } = await runCli(['attach', '--all', String(thread)]);
    expect(stderr).toContain(`Give the id ${target.pid}.`);
  });
});

describe('A process that may be asked goes on as before:', () => {
  test.concurrent.each(commands.map((command) => [command[0], command] as const))(
    'one at a breakpoint of a debugger, which stays there: %s',
    async (_name, command) => {
      const debuggerProcess = spawn(nodeBinary(), ['inspect', '--port=0', fixture('breaks.cjs')], { stdio: 'pipe' });
      let output = '';
      debuggerProcess.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const until = async (pattern: RegExp): Promise<void> => {
        while (!pattern.test(output)) {
          if (debuggerProcess.exitCode !== null) throw new Error(`The debugger has ended: ${output}`);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      try {
        await until(/Break on start in/);
        const [pid] = childrenOf(debuggerProcess.pid ?? 0);
        const { stdout, stderr } = await runCli([...command, String(pid)]);
        expect(`${stdout.toString()}${stderr}`).toMatch(/"mayBePaused": true|paused/);
        output = '';
        debuggerProcess.stdin.write('next\n');
        await until(/(break|step) in .*breaks\.cjs:4/);
        expect(output).not.toMatch(/answer 42/);
        debuggerProcess.stdin.write('cont\n');
        await until(/answer 42/);
      } finally {
        debuggerProcess.kill('SIGKILL');
      }
    },
  );

  test.concurrent.each(
    ['ownListener', 'ownListenerWithChild', 'ownListenerAndWork', 'ownListenerAndBlockedWorker'].flatMap((way) =>
      commands.map((command) => [way, command[0], command] as const),
    ),
  )('one with a listener of its own for SIGUSR1, which gets the signal: %s, %s', async (way, _name, command) => {
    await using target = await TargetProcess.hang(way);
    const { code, stderr } = await runCli([...command, String(target.pid)]);
    const message = `Expected process ${target.pid} to open its inspector on SIGUSR1, found none, although Node.js could have opened it. The program has probably a listener of its own`;
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect([target.isAlive, target.output]).toEqual([true, expect.stringContaining('got SIGUSR1\n')]);
  });

  test.concurrent.each([
    ['dump', ['dump', '--timeout', '30s']],
    ['attach', ['attach', '--for', '1s', '--timeout', '30s']],
  ])('one that ends while it is asked, and does not wait for the command to give up: %s', async (_name, command) => {
    await using target = await TargetProcess.hang('endsWhenAsked');
    const startedAt = performance.now();
    await runCli([...command, String(target.pid)]);
    await target.ended;
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(target.exitCode).toBe(4);
  });

  test.concurrent('one whose binary has another name', async () => {
    const renamed = path.join(directory, 'my-service');
    copyExecutable(nodeBinary(), renamed);
    await using target = TargetProcess.command(renamed, '--inspect-port=0', fixture('hang.cjs'), 'interval');
    await target.waitFor(/ready\n/);
    const { code, stdout } = await runCli(['dump', String(target.pid)]);
    expect([code, stdout.toString()]).toEqual([0, expect.stringContaining('main thread')]);
    expect(target.isAlive).toBe(true);
    if (process.platform !== 'linux') return; // elsewhere, nothing but the name is known before the binary is read
    const list = JSON.parse((await runCli(['ps', '--json'])).stdout.toString()) as { readonly pid: number }[];
    expect(list.map(({ pid }) => pid)).toContain(target.pid);
  });

  test.concurrent('one of another user, which root asks', async () => {
    if (process.geteuid?.() !== 0) return;
    const identity = ['--reuid', String(UNPRIVILEGED_ID), '--regid', String(UNPRIVILEGED_ID), '--clear-groups'];
    await using target = TargetProcess.command(
      'setpriv',
      ...identity,
      nodeBinary(),
      '--inspect-port=0',
      fixture('hang.cjs'),
      'interval',
    );
    await target.waitFor(/ready\n/);
    const before = await target.state();
    const dumped = await runCli(['dump', String(target.pid)]);
    const attached = await runCli(['attach', '--for', '2s', String(target.pid)]);
    expect([dumped.code, attached.code, attached.stderr]).toEqual([0, 0, expect.stringContaining('renderPage')]);
    await expectState(target, before);
  });
});

async function eventuallyListens(pid: number): Promise<void> {
  while (listeningOf(pid).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits for a state of `/proc/PID/status`. */
async function untilState(pid: number, letter: string): Promise<void> {
  while (!new RegExp(`^State:\\s*${letter}`, 'm').test(await readFile(`/proc/${pid}/status`, 'utf8'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function copyBinary(command: string, to: string): void {
  copyExecutable(execFileSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).trim(), to);
}

/** By another process: a child that starts meanwhile would still hold the file open for writing, and it could not be executed. */
function copyExecutable(file: string, to: string): void {
  execFileSync('mkdir', ['-p', path.dirname(to)]);
  execFileSync('cp', [file, to]);
}

function resultOf(child: ChildProcess): Promise<Pick<CliResult, 'code' | 'stderr'>> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, stderr });
    });
  });
}

function childrenOf(pid: number): number[] {
  return pids('ppid,pid')
    .filter(([parent]) => parent === pid)
    .flatMap(([, child]) => child ?? []);
}

/** A child of the process 2, which is the parent of all threads of the kernel. */
function kernelThread(): number | undefined {
  return pids('ppid,pid').find(([parent]) => parent === 2)?.[1];
}

function pids(columns: string): number[][] {
  return execFileSync('ps', ['-e', '--no-headers', '-o', columns], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
}
