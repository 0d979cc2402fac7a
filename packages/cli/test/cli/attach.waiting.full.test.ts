import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test } from '@jest/globals';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, fixture, runCli, type RunningCli, startCli } from '../support/cli.js';
import { Scratch } from '../support/scratch.js';
import { eventually, expectState, expectStateLike, OWN_PORT, TargetProcess } from '../support/target.js';

async function startServer(
  major?: NodeMajor,
  flags: readonly string[] = [],
): Promise<{ target: TargetProcess; port: number }> {
  const options = { flags: ['--inspect-port=0', ...flags] };
  const target = await TargetProcess.hang('server', major === undefined ? options : { ...options, major });
  const [, port] = await target.waitFor(/port (\d+)\n/);
  return { target, port: Number(port) };
}

async function get(port: number, route: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${route}`)).text();
}

/** Attaches, and resolves when the process is watched. The channel and the file are in the directory of the test. */
async function startAttach(
  scratch: Scratch,
  target: TargetProcess,
  ...options: readonly string[]
): Promise<RunningCli> {
  const cli = startCli(['attach', '--json', scratch.json, ...options, String(target.pid)], {
    env: { TMPDIR: scratch.directory },
  });
  await cli.waitFor(/Attached to process/);
  return cli;
}

const culpritsOf = ({ blocks }: Recording): (string | undefined)[] => [
  ...new Set(blocks.map(({ culprit }) => culprit?.functionName)),
];

describe('loopwatch attach', () => {
  // Side by side: they mostly wait, and compare outcomes.

  test.concurrent.each(sampledMajors(20, 26))(
    'reports the blocks of a process that was not prepared, on Node.js %d, and leaves it as it was',
    async (major) => {
      await using scratch = await Scratch.make();
      const { target, port } = await startServer(major);
      await using _target = target;
      await get(port, '/');
      const before = await target.state();
      const cli = await startAttach(scratch, target);
      for (let i = 0; i < 3; i++) await get(port, '/page');
      await cli.waitFor(/(javascript|cpu_starved) +renderPage .*hang\.cjs:\d+/);
      cli.child.kill('SIGINT');
      const { code, stderr } = await cli.result;
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^loopwatch \d+ blocks? by \d+ culprits? in /m)]);
      const { blocks, processes } = await scratch.recording();
      expect(blocks.map(({ culprit }) => culprit?.functionName)).toContain('renderPage');
      expect(processes.map(({ pid }) => pid)).toEqual([target.pid]);
      await expectState(target, before);
      await expect(get(port, '/')).resolves.toBe('done');
    },
  );

  test.concurrent.each(sampledMajors(22, 26))(
    'leaves no request in a timer that it has started, on Node.js %d',
    async (major) => {
      await using scratch = await Scratch.make();
      await using target = await TargetProcess.hang('timerServer', {
        major,
        flags: ['--inspect-port=0', '--expose-gc'],
      });
      const port = Number((await target.waitFor(/port (\d+)\n/))[1]);
      await get(port, '/timer');
      const cli = await startAttach(scratch, target);
      for (let i = 0; i < 3; i++) await get(port, '/timer');
      cli.child.kill('SIGINT');
      expectSuccess(await cli.result);
      // A collection that comes right after the request does not find all yet.
      let kept = '';
      for (let tries = 0; tries < 50 && kept !== 'kept: 0'; tries++) {
        await get(port, '/collect');
        kept = await get(port, '/');
      }
      expect(kept).toBe('kept: 0');
    },
  );

  test.concurrent('leaves the process as it was when the CLI is killed', async () => {
    await using scratch = await Scratch.make();
    const { target, port } = await startServer();
    await using _target = target;
    await get(port, '/');
    const before = await target.state();
    const cli = await startAttach(scratch, target);
    await get(port, '/page');
    cli.child.kill('SIGKILL');
    await cli.result;
    await expectState(target, before);
    expect(await readdir(scratch.directory)).toEqual([]);
  });

  test.concurrent('ends at a signal before --for has passed', async () => {
    await using scratch = await Scratch.make();
    const { target } = await startServer();
    await using _target = target;
    const cli = await startAttach(scratch, target, '--for', '1h');
    cli.child.kill('SIGINT');
    expectSuccess(await cli.result);
  });

  test.concurrent('stops by itself after --for, and can attach again', async () => {
    await using scratch = await Scratch.make();
    const { target, port } = await startServer();
    await using _target = target;
    for (let i = 0; i < 2; i++) {
      const cli = await startAttach(scratch, target, '--for', '1s', '--fail-on', '200');
      await get(port, '/page');
      await expect(cli.result).resolves.toMatchObject({ code: 3 });
      expect(culpritsOf(await scratch.recording())).toContain('renderPage');
    }
  });

  test.concurrent('watches worker threads that ran before', async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('poolWorker');
    const before = await target.state();
    const cli = await startAttach(scratch, target);
    await cli.waitFor(/watches its main thread and 1 worker thread/);
    await cli.waitFor(/renderPage/);
    cli.child.kill('SIGTERM');
    await cli.result;
    const { blocks } = await scratch.recording();
    const ofWorker = blocks.filter(({ threadId }) => threadId === 1);
    expect(ofWorker.map(({ culprit }) => culprit?.functionName)).toContain('renderPage');
    await expectState(target, before);
  });

  test.concurrent('reports no start-up of a worker thread that started before, with an ES module', async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('sleepingModulePool');
    const port = Number((await target.waitFor(/port (\d+)\n/))[1]);
    const cli = await startAttach(scratch, target);
    await get(port, '/');
    await cli.waitFor(/renderPage/);
    cli.child.kill('SIGINT');
    await cli.result;
    expect((await scratch.recording()).startUp?.threads).toEqual([]);
  });

  test.concurrent('reports the block that a worker thread is in when it attaches', async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('busyWorker');
    const cli = await startAttach(scratch, target);
    await cli.waitFor(/ javascript +renderPage (?!.*still blocked).*thread cruncher/);
    cli.child.kill('SIGINT');
    await cli.result;
    const ofWorker = (await scratch.recording()).blocks.filter(({ threadId }) => threadId === 1);
    expect(ofWorker).toMatchObject([{ ended: true, culprit: { functionName: 'renderPage' } }]);
  });

  test.concurrent('watches worker threads that start later', async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('workersLater');
    const [, port] = await target.waitFor(/port (\d+)\n/);
    const cli = await startAttach(scratch, target);
    await get(Number(port), '/');
    await cli.waitFor(/renderPage/);
    cli.child.kill('SIGKILL');
    await cli.result;
    // Only what a new worker adds by itself is left.
    await expectStateLike(target, {
      isWrapped: [false, false, false, false],
      subscribed: [],
      registry: 'undefined',
      ofWorker: { isWrapped: [false, false, false, false], subscribed: [], registry: 'undefined' },
    });
  });

  test.concurrent('watches any number of worker threads, without a watchdog thread for each', async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('manyWorkers');
    const { threads } = (await target.state()) as { threads: number };
    const cli = await startAttach(scratch, target);
    const names = Array.from({ length: 12 }, (_, i) => `(?=[^]*thread renderer-${i}\\b)`);
    await cli.waitFor(new RegExp(names.join('')));
    await eventually(target, (state) => {
      // One watchdog thread: a worker that has not got the registry starts one of its own, a second later.
      expect((state as { threads: number }).threads).toBeLessThanOrEqual(threads + 1);
    });
    cli.child.kill('SIGTERM');
    expectSuccess(await cli.result);
  });

  test.concurrent("reports the request by the program's own SDK", async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.program('own-sdk-forever.mjs');
    const cli = await startAttach(scratch, target);
    await cli.waitFor(/burnCpu \S*burn\.cjs:\d+ {2}in GET \/slow/);
    cli.child.kill('SIGINT');
    expectSuccess(await cli.result);
  });

  test.concurrent('watches two processes at the same time, because it closes the inspector at once', async () => {
    await using scratch = await Scratch.make();
    const [first, second] = [await startServer(), await startServer()];
    await using _first = first.target;
    await using _second = second.target;
    // Without --inspect-port=0, both would take the same port in turn.
    const attached = [await startAttach(scratch, first.target), await startAttach(scratch, second.target)];
    await Promise.all([get(first.port, '/page'), get(second.port, '/page')]);
    for (const cli of attached) {
      await cli.waitFor(/renderPage/);
      cli.child.kill('SIGINT');
      expectSuccess(await cli.result);
    }
  });

  test.concurrent('says with which code the process has exited, or that a signal has ended it', async () => {
    await using scratch = await Scratch.make();
    for (const [route, message] of [
      ['/exit', /Process \d+ has exited with code 0\./],
      ['', /Process \d+ has ended by a signal or a crash\./],
    ] as const) {
      const { target, port } = await startServer();
      await using _target = target;
      const cli = await startAttach(scratch, target);
      if (route === '') target.kill('SIGKILL');
      else await get(port, route).catch(() => undefined);
      const { code, stderr } = await cli.result;
      expect([code, stderr]).toEqual([0, expect.stringMatching(message)]);
    }
  });

  test.concurrent('goes through an inspector that is open already, and leaves it open', async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('poolWorker', { flags: ['--inspect=0'] });
    const { stdout } = await runCli(['dump', '--json', String(target.pid)]);
    const [, port] = /open on port (\d+) before/.exec(stdout.toString()) ?? [];
    const url = `http://127.0.0.1:${port}`;
    const cli = startCli(['attach', '--inspect', url.replace('http', 'ws'), '--json', scratch.json]);
    await cli.waitFor(/renderPage/);
    cli.child.kill('SIGINT');
    expectSuccess(await cli.result);
    expect(culpritsOf(await scratch.recording())).toContain('renderPage');
    await expect(fetch(`${url}/json/version`).then(({ status }) => status)).resolves.toBe(200);
  });

  // One at a time, after those: programs that compute all the time, and tests that compare times or count blocks.

  test.each(sampledMajors(20, 24))(
    'makes the callbacks of a process without blocks no slower, on Node.js %d',
    async (major) => {
      await using scratch = await Scratch.make();
      const { target, port } = await startServer(major, ['--expose-internals']);
      await using _target = target;
      const load = new AbortController();
      const served = (async () => {
        while (!load.signal.aborted) await get(port, '/');
      })();
      // A busy host makes a callback of this server last long: it is no block here.
      const cli = await startAttach(scratch, target, '--threshold', '10000');
      load.abort();
      await served;
      cli.child.kill('SIGINT');
      expectSuccess(await cli.result);
      await expectStateLike(target, { handsResourceToCallbacks: false });
    },
  );

  test.each(sampledMajors(20))('says where the time of a saturated loop goes, on Node.js %d', async (major) => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('cuts', { major });
    await runCli(['attach', '--threshold', '2000', '--for', '6s', '--json', scratch.json, String(target.pid)], {
      env: { TMPDIR: scratch.directory },
    });
    const { busy = [] } = await scratch.recording();
    const ofFunction = (name: string): number =>
      busy.reduce((sum, { culprit, ms }) => sum + (culprit?.functionName === name ? ms : 0), 0);
    const totalMs = busy.reduce((sum, { ms }) => sum + ms, 0);
    // Three quarters of the work, and a quarter. On a busy host, the time is not divided as the work is.
    expect(ofFunction('parseFilters')).toBeGreaterThan(ofFunction('toRows'));
    expect((ofFunction('parseFilters') + ofFunction('toRows')) / totalMs).toBeGreaterThan(0.8);
  });

  test('ends with the process, and prints the summary', async () => {
    await using scratch = await Scratch.make();
    const { target, port } = await startServer();
    await using _target = target;
    const cli = await startAttach(scratch, target);
    await get(port, '/page');
    await cli.waitFor(/renderPage/);
    await get(port, '/exit').catch(() => undefined);
    await expect(cli.result).resolves.toMatchObject({ code: 0, stderr: expect.stringContaining(' by 1 culprit in ') });
  });

  test.each([
    ['a listener sets the code', 'exitCodeInListener', 5],
    ['a listener exits once more', 'exitInListener', 3],
    ['nothing is emitted', 'reallyExit', 7],
    ['it ends by itself', 'naturalEnd', 4],
  ])('says with which code the process has exited, where %s', async (_label, way, code) => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang(way);
    const cli = await startAttach(scratch, target);
    target.kill('SIGHUP');
    await target.ended;
    expect(target.exitCode).toBe(code);
    await expect(cli.result).resolves.toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Process ${target.pid} has exited with code ${code}.`),
    });
  });

  test.each(sampledMajors(22))(
    'reports each task of a pool thread that slept in Atomics.wait, and no sleep, on Node.js %d',
    async (major) => {
      await using scratch = await Scratch.make();
      await using target = await TargetProcess.hang('sleepingPool', { major });
      const port = Number((await target.waitFor(/port (\d+)\n/))[1]);
      const cli = await startAttach(scratch, target);
      const tasksMs: number[] = [];
      for (let count = 1; count <= 3; count++) {
        // Asleep for longer than a task: a block that contains the sleep is too long.
        await new Promise((resolve) => setTimeout(resolve, 700));
        tasksMs.push(Number(await get(port, '/')));
      }
      await cli.waitFor(/(renderPage[^]*){3}/);
      cli.child.kill('SIGINT');
      await cli.result;
      const ofWorker = (await scratch.recording()).blocks.filter(({ threadId }) => threadId === 1);
      expect(ofWorker.map(({ culprit }) => culprit?.functionName)).toEqual(tasksMs.map(() => 'renderPage'));
      for (const [i, { durationMs }] of ofWorker.entries()) expect(durationMs / tasksMs[i]!).toBeLessThan(1.5);
    },
  );

  test.each(sampledMajors(24))(
    'names what blocks a process that hangs, reports that block, and then leaves the process as it was, on Node.js %d',
    async (major) => {
      await using scratch = await Scratch.make();
      await using target = await TargetProcess.hang('loop', { major, seconds: 8 });
      const cli = await startAttach(scratch, target);
      await cli.waitFor(/Its main thread is blocked, in .*findParent \S*hang\.cjs:\d+/);
      await target.waitFor(/turns\n/);
      await cli.waitFor(/ s +javascript +findParent \S*hang\.cjs:\d+\b(?!.*still blocked)/);
      cli.child.kill('SIGINT');
      expectSuccess(await cli.result);
      const [block] = (await scratch.recording()).blocks.toSorted((one, other) => other.durationMs - one.durationMs);
      expect(block).toMatchObject({ ended: true, cause: 'javascript', threadId: 0 });
      expect(block!.culprit?.functionName).toBe('findParent');
    },
  );

  test.each([
    [sampledMajors(20)[0]!, 'with', 'true'],
    [24, 'with', 'true'],
    [24, 'without', 'false'],
  ] as const)(
    'reports the hang of a process that has the instrumentation itself, on Node.js %d, %s its own watchdog',
    async (major, _, watchdog) => {
      await using scratch = await Scratch.make();
      await using target = await TargetProcess.hang('loop', {
        major,
        flags: [OWN_PORT, '--require', fixture('preload-instrumentation.cjs')],
        env: { OWN_WATCHDOG: watchdog },
      });
      const cli = await startAttach(scratch, target, '--for', '4s');
      expectSuccess(await cli.result);
      const { blocks } = await scratch.recording();
      expect(blocks).toMatchObject([{ ended: false, threadId: 0, cause: 'javascript' }]);
      expect(blocks[0]!.culprit?.functionName).toBe('findParent');
    },
  );

  test('says that it is not watched yet, of a process whose block begins between the look at it and the watch', async () => {
    await using scratch = await Scratch.make();
    // It blocks when the agent has connected, for longer than the command waits.
    await using target = await TargetProcess.hang('blocksWhenAttached', { seconds: 17 });
    const { code, stderr } = await runCli(['attach', '--for', '1s', String(target.pid)], {
      env: { TMPDIR: scratch.directory },
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/Attached to process .*\n.*in a block that has begun meanwhile, which is not reported\./);
    expect(stderr).toContain(`Where it is now: loopwatch dump ${target.pid}`);
  });

  test('ends in time after --for in a process that hangs', async () => {
    await using scratch = await Scratch.make();
    await using target = await TargetProcess.hang('loop');
    const cli = await startAttach(scratch, target, '--for', '6s');
    const startedAt = performance.now();
    expectSuccess(await cli.result);
    // In ratios: a busy machine delays all of it.
    expect((performance.now() - startedAt) / 6000).toBeLessThan(1.4);
    const { blocks, durationMs } = await scratch.recording();
    expect(durationMs / 6000).toBeGreaterThanOrEqual(1);
    expect(durationMs / 6000).toBeLessThan(1.4);
    expect(blocks).toMatchObject([{ ended: false, threadId: 0 }]);
    expect(blocks[0]!.durationMs / durationMs).toBeGreaterThan(0.8);
  });

  test.each(['before', 'while'])('says that a block which began %s it watched has not ended', async (moment) => {
    await using scratch = await Scratch.make();
    const isBefore = moment === 'before';
    const { target, port } = isBefore ? { target: await TargetProcess.hang('loop'), port: 0 } : await startServer();
    await using _target = target;
    const cli = await startAttach(scratch, target);
    if (!isBefore) {
      get(port, '/long').catch(() => undefined);
      await sleep(300);
    }
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.result;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `Process ${target.pid} is still blocked, or stopped. The summary has a block that lasts only as far as`,
      ),
    ]);
    expect(stderr).toMatch(/ +(\w+) +\S*hang\.cjs:\d+ .*still blocked( {2}.*)?\n/);
    expect(stderr).toMatch(/1 block by 1 culprit/);
  });
});

describe('loopwatch attach refuses', () => {
  test.concurrent.each([
    [['attach'], 'Expected the id of a process or --inspect, found neither.'],
    [['attach', '--inspect', 'http://127.0.0.1:1', '1'], 'Expected the id of a process or --inspect, found both.'],
    [
      ['attach', '--inspect', 'http://127.0.0.1:1'],
      'Expected an inspector of Node.js at http://127.0.0.1:1, found none. Give the address that Node.js prints, such as ws',
    ],
    [['attach', '2147483646'], 'Expected a process with the id 2147483646, found none.'],
  ])('%j', async (args, message) => {
    const { code, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  test.concurrent('a process that another loopwatch watches', async () => {
    await using scratch = await Scratch.make();
    const { target, port } = await startServer();
    await using _target = target;
    const cli = await startAttach(scratch, target);
    const { code, stderr } = await runCli(['attach', String(target.pid)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('found one that another loopwatch watches.')]);
    await get(port, '/page');
    await cli.waitFor(/renderPage/);
    cli.child.kill('SIGINT');
    expectSuccess(await cli.result);
  });

  test.concurrent('a program that is no Node.js, which gets no signal', async () => {
    await using scratch = await Scratch.make();
    await using target = TargetProcess.command('sleep', '60');
    const { code, stderr } = await runCli(['attach', String(target.pid)], { env: { TMPDIR: scratch.directory } });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Expected a Node.js process, found ')]);
    expect([target.isAlive, existsSync(scratch.directory), await readdir(scratch.directory)]).toEqual([true, true, []]);
  });
});
