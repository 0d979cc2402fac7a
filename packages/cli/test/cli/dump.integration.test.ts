import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';

import { describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { isInnerTier, majorsOfTier } from '@loopwatch/test-support';

import type { ProcessDump, ThreadDump } from '../../src/model/processes/dump.js';
import { type CliResult, fixture, runCli } from '../support/cli.js';
import { listeningSockets } from '../support/listening.js';
import { type HangOptions, TargetProcess } from '../support/target.js';

const CLI = fixture('../../dist/cli.mjs');

async function dump(target: TargetProcess, ...options: readonly string[]): Promise<ProcessDump> {
  const { code, stdout, stderr } = await runCli(['dump', '--json', ...options, String(target.pid)]);
  if (code !== 0) throw new Error(`Expected a dump, got: ${stderr}`);
  return JSON.parse(stdout.toString()) as ProcessDump;
}

const functionsOf = ({ stack }: ThreadDump): string[] => stack.map(({ functionName }) => functionName);

async function untilNothingListens(pid: number): Promise<void> {
  while (listeningSockets(pid).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

const ways: readonly (readonly [string, string])[] = [
  ['loop', 'findParent'],
  ['regex', 'validateComment'],
  ['recursion', 'countRoutes'],
  ['microtasks', 'drainQueue'],
  ['thenChain', 'chainPromises'],
  ['nextTick', 'queueTicks'],
  ['wait', 'sleepInAtomics'],
  ['generator', 'pumpValues'],
  ['sort', 'sortScores'],
];
const waysOfTier = isInnerTier ? ways.slice(0, 1) : ways;

describe('loopwatch dump', () => {
  test.each(majorsOfTier)(
    'names the function of a block, on Node.js %d, and leaves the process as it was',
    async (major) => {
      await using target = await TargetProcess.hang('loop', { major, seconds: 4 });
      const { pid, nodeVersion, threads } = await dump(target);
      expect([pid, nodeVersion]).toEqual([target.pid, expect.stringMatching(`^v${major}\\.`)]);
      expect(threads).toMatchObject([{ threadId: 0, threadName: 'main', state: 'running' }]);
      expect(functionsOf(threads[0]!)).toEqual(expect.arrayContaining(['findParent', 'start']));
      expect(threads[0]!.stack.find(({ functionName }) => functionName === 'findParent')).toMatchObject({
        filePath: expect.stringMatching(/hang\.cjs$/),
        lineNumber: expect.any(Number),
      });
      await target.waitFor(/turns\n/);
      await untilNothingListens(target.pid);
      expect(target.isAlive).toBe(true);
    },
  );

  test.each(waysOfTier)('names the function of a hang that never ends: %s', async (way, name) => {
    await using target = await TargetProcess.hang(way);
    const [main] = (await dump(target)).threads;
    expect(functionsOf(main!)).toContain(name);
    expect(main!.state).toBe(way === 'wait' ? 'waiting' : 'running');
  });

  test('changes nothing in an idle process, and closes the inspector', async () => {
    await using target = await TargetProcess.hang('idle');
    const before = await target.state();
    const { threads, notes } = await dump(target);
    expect([threads, notes]).toEqual([[expect.objectContaining({ state: 'idle', stack: [] })], []]);
    expect(listeningSockets(target.pid)).toEqual([]);
    await expect(target.state()).resolves.toEqual(before);
  });

  test('shows worker threads, which it reaches through the main thread', async () => {
    await using target = await TargetProcess.hang('worker');
    const { threads } = await dump(target);
    expect(threads).toMatchObject([
      { threadId: 0, state: 'idle' },
      { threadId: 1, threadName: 'cruncher', state: 'running' },
    ]);
    expect(functionsOf(threads[1]!)).toContain('findParent');
  });

  test.each(majorsOfTier)('shows the request whose body has just been parsed, on Node.js %d', async (major) => {
    await using target = await TargetProcess.hang('bodyParser', { major });
    const [main] = (await dump(target)).threads;
    expect(main).toMatchObject({ state: 'running', request: { name: 'PUT /avatars/ann' } });
  });

  test('shows the request in which the code runs, without its query', async () => {
    await using target = await TargetProcess.hang('request');
    const [main] = (await dump(target)).threads;
    expect(main).toMatchObject({ state: 'running', request: { name: 'GET /export/42' } });
    expect(functionsOf(main!)).toContain('Server.handleExport');
  });

  test("shows the span of the program's own SDK", async () => {
    await using target = await TargetProcess.program('own-sdk-forever.mjs');
    let main: ThreadDump | undefined;
    // Between two requests, the program is idle.
    for (let tries = 0; tries < 10 && main?.request === undefined; tries++) [main] = (await dump(target)).threads;
    expect(main).toMatchObject({
      state: 'running',
      request: { name: 'GET /slow', traceId: expect.stringMatching(/^[\da-f]{32}$/), ageMs: expect.any(Number) },
    });
  });

  test('says that a native call does not answer, after the timeout', async () => {
    await using target = await TargetProcess.hang('native');
    const { threads, notes } = await dump(target, '--timeout', '1s');
    expect(threads).toMatchObject([{ state: 'no_answer', stack: [] }]);
    expect(notes.join()).toMatch(/inside a call that V8 cannot interrupt, and uses the CPU/);
    expect(target.isAlive).toBe(true);
  });

  test('names the callback of a timer that ends with a native call, as a guess', async () => {
    await using target = await TargetProcess.hang('commands');
    const [main] = (await dump(target)).threads;
    // V8 answers when the call has returned, or now and then in the callback before it.
    const functions = functionsOf(main!);
    expect(main).toMatchObject(functions.includes('runCommand') ? {} : { timerCallback: 'runCommand' });
    expect(functions).toContain('listOnTimeout');
  });

  test('says of no thread that a debugger has paused it, because an earlier dump has left the inspector open', async () => {
    await using target = await TargetProcess.hang('commandLoop');
    const first = await dump(target);
    expect(first.notes.join()).toContain('The inspector stays open');
    const [main] = (await dump(target)).threads;
    expect(main).toMatchObject({ state: 'running', isReady: expect.any(Boolean) });
    expect(functionsOf(main!)).toContain('buildPackages');
    expect(main).not.toHaveProperty('mayBePaused');
  });

  test('leaves an inspector open that was open before', async () => {
    await using target = await TargetProcess.hang('loop', { flags: ['--inspect=0'] });
    const before = listeningSockets(target.pid);
    const { threads, notes } = await dump(target);
    expect(functionsOf(threads[0]!)).toContain('findParent');
    expect(notes).toEqual([expect.stringMatching(/^The inspector was open on port \d+ before, and stays open/)]);
    expect([before.length, listeningSockets(target.pid)]).toEqual([1, before]);
  });

  test('prints a stack for people', async () => {
    await using target = await TargetProcess.hang('loop');
    const { code, stdout } = await runCli(['dump', String(target.pid)]);
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(
      /^Process \d+ .*hang\.cjs\nNode\.js v24\S*, runs for .*\n\nmain thread: runs for .*\n(?: {4}at .*\n)* {4}at findParent \(.*hang\.cjs:\d+\)\n/,
    );
  });
});

describe('loopwatch dump refuses, does no harm, and says what it expected', () => {
  async function refused(target: TargetProcess, ...options: readonly string[]): Promise<CliResult['stderr']> {
    const { code, stdout, stderr } = await runCli(['dump', ...options, String(target.pid)]);
    expect([code, stdout.toString(), target.isAlive]).toEqual([1, '', true]);
    return stderr;
  }
  const hang = (flags: HangOptions['flags']): Promise<TargetProcess> =>
    TargetProcess.hang('idle', flags === undefined ? {} : { flags });

  test('a program that is no Node.js', async () => {
    await using target = TargetProcess.command('sleep', '60');
    await expect(refused(target)).resolves.toMatch(/Expected a Node\.js process, found .*sleep\. It gets no signal/);
  });

  test('a process that does not exist', async () => {
    const { code, stderr } = await runCli(['dump', '2147483646']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Expected a process with the id 2147483646, found none.'),
    ]);
  });

  test.each([['--disable-sigusr1'], ['--permission']])('a process that was started with %s', async (flag) => {
    await using target = await hang(['--allow-fs-read=*', flag].filter((f) => flag === '--permission' || f === flag));
    await expect(refused(target)).resolves.toContain(`found one that was started with ${flag}`);
  });

  test('a port that another process has', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    await using target = await hang([`--inspect-port=${port}`]);
    await expect(refused(target)).resolves.toContain(`it is taken by process ${process.pid} (`);
    await new Promise((resolve) => holder.close(resolve));
  });

  test('a program that takes SIGUSR1 for itself', async () => {
    await using target = await TargetProcess.hang('ownListener');
    await expect(refused(target, '--timeout', '1s')).resolves.toContain('a listener of its own for SIGUSR1');
    expect(target.output).toContain('got SIGUSR1\n');
  });

  test('a process that is stopped', async () => {
    await using target = await hang(undefined);
    target.kill('SIGSTOP');
    await expect(refused(target)).resolves.toContain(`kill -CONT ${target.pid}`);
  });
});

describe('loopwatch ps', () => {
  test("lists this user's Node.js processes, and which are watched", async () => {
    await using target = await TargetProcess.hang('idle');
    await using other = TargetProcess.command('sleep', '60');
    const { code, stdout } = await runCli(['ps', '--json']);
    expect(code).toBe(0);
    const rows = JSON.parse(stdout.toString()) as { pid: number; watched: boolean; command: string; ageMs: number }[];
    expect(rows.find(({ pid }) => pid === target.pid)).toMatchObject({
      watched: false,
      command: expect.stringMatching(/hang\.cjs idle$/),
    });
    expect(rows.map(({ pid }) => pid)).not.toContain(other.pid);
    expect(rows.map(({ ageMs }) => ageMs)).toEqual(rows.map(({ ageMs }) => ageMs).sort((a, b) => b - a));
  });

  test.each([
    ['a reader that has gone', '| true', '[0,""]'],
    ['a full disk', '> /dev/full', '[1,"loopwatch: Cannot write to stdout: '],
  ])('ends without a stack of its own at %s', (_label, redirection, expected) => {
    const script = `{ "$0" "$1" ps --json; echo "code $?" >&2; } ${redirection}`;
    const { stderr } = spawnSync('sh', ['-c', script, nodeBinary(), CLI], { encoding: 'utf8' });
    const [, text, code] = /^([^]*)code (\d+)\n$/.exec(stderr) ?? [];
    expect(JSON.stringify([Number(code), text?.trim()])).toContain(expected);
    expect(text).not.toContain('    at ');
  });
});
