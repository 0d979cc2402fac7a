import { describe, expect, test } from '@jest/globals';
import { isInnerTier, sampledMajors } from '@loopwatch/test-support';
import { freePorts } from '@loopwatch/test-support/free-port';

import type { ProcessDump, ThreadDump } from '../../src/model/processes/dump.js';
import { expectSuccess, runCli } from '../support/cli.js';
import { listeningSockets } from '../support/listening.js';
import { TargetProcess } from '../support/target.js';

async function dump(target: TargetProcess, ...options: readonly string[]): Promise<ProcessDump> {
  const { code, stdout, stderr } = await runCli(['dump', '--json', ...options, String(target.pid)]);
  if (code !== 0) throw new Error(`Expected a dump, got: ${stderr}`);
  return JSON.parse(stdout.toString()) as ProcessDump;
}

const linuxTest = process.platform === 'linux' ? test : test.skip;

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
  test.each(sampledMajors(20, 26))(
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

  test('says for how long the process has run when its threads have answered, which may take seconds', async () => {
    await using target = await TargetProcess.hang('loop');
    const { ageMs, threads } = await dump(target);
    expect(threads[0]!.atMostMs).toBeLessThanOrEqual(ageMs);
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

  test.each(sampledMajors(22, 26))(
    'shows the request whose body has just been parsed, on Node.js %d',
    async (major) => {
      await using target = await TargetProcess.hang('bodyParser', { major });
      const [main] = (await dump(target)).threads;
      expect(main).toMatchObject({ state: 'running', request: { name: 'PUT /avatars/ann' } });
    },
  );

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

  linuxTest("says of an idle loop that libuv's pool is full", async () => {
    await using target = await TargetProcess.hang('fullPool');
    const { threads, notes } = await dump(target);
    expect(threads).toMatchObject([{ state: 'idle' }]);
    expect(notes).toEqual([expect.stringMatching(/^No thread of libuv's pool was free \(4 threads\): /)]);
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

  test.each([
    ['titledServer', '--inspect'],
    ['opensInspector', '--inspect-port'],
  ])('goes through an inspector that is open where that is not known, and asks no server: %s', async (way, flag) => {
    const [port] = await freePorts(1);
    await using target = await TargetProcess.hang(way, { flags: [`${flag}=${port}`] });
    const { notes } = await dump(target);
    expect(notes).toContainEqual(
      expect.stringMatching(/^The inspector was open on port \d+ before, and stays open\.$/),
    );
    expect(target.output).not.toContain('got /');
  });

  test('prints a stack for people', async () => {
    await using target = await TargetProcess.hang('loop');
    const result = await runCli(['dump', String(target.pid)]);
    expectSuccess(result);
    const { stdout } = result;
    expect(stdout.toString()).toMatch(
      /^Process \d+ .*hang\.cjs\nNode\.js v24\S*, runs for .*\n\nmain thread: runs for .*\n(?: {4}at .*\n)* {4}at findParent \(.*hang\.cjs:\d+\)\n/,
    );
  });
});
