import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary, type NodeMajor, workspaceNodeMajor } from '@loopwatch/node-binaries';
import { majorsOfTier, sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli, startCli } from '../support/cli.js';

const TASKS = 6;
const TASK_MS = 250;
/** Idle mode begins after 100 ms, and its beats are a second apart: the signal arrives between two. */
const IDLE_MS = 1_600;

let directory: string;
let files = 0;
/** Two of these tests run at a time. */
const newFile = (): string => path.join(directory, `${files++}.json`);
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-start-up-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function record(
  command: readonly string[],
  major: NodeMajor,
  options: readonly string[] = [],
): Promise<Recording & { stdout: string; stderr: string }> {
  const json = newFile();
  const { stdout, stderr } = await runCli(['run', '--json', json, ...options, '--', 'node', ...command], { major });
  return { ...(JSON.parse(await readFile(json, 'utf8')) as Recording), stdout: stdout.toString(), stderr };
}

/** Without waits for a CPU, which a busy host adds: the work of the programs is CPU time, and has another cause. */
const culpritsOf = ({ blocks }: Recording): (string | undefined)[] =>
  blocks.filter(({ cause }) => cause !== 'cpu_starved').map(({ culprit }) => culprit?.functionName);

const tasksOf = ({ blocks }: Recording): Recording['blocks'] =>
  blocks.filter(({ culprit }) => /\brenderTask$/.test(culprit?.functionName ?? ''));

const promiseJobs = 'promise jobs of a program whose start-up was long, and that has nothing else pending';

let turn = 0;
/** The majors take turns, from one test to the next: judging hardly depends on them. */
const onOneMajor = <T extends string>(cases: readonly T[]) =>
  cases.map((one) => {
    const major = majorsOfTier[turn++ % majorsOfTier.length]!;
    return [`${one} on Node.js ${major}`, one, major] as const;
  });

// Each kind of test is one `describe` for all majors: Jest runs side by side what is in one.

describe('each synchronous task is reported in its thread, of', () => {
  test.concurrent.each(onOneMajor(['piscina', 'tinypool', 'atomics-wait']))('%s', async (_label, pool, major) => {
    const tasks = tasksOf(await record([fixture('pools.cjs'), pool], major));
    expect(tasks).toHaveLength(TASKS);
    for (const { threadId, durationMs } of tasks) {
      expect(threadId).toBeGreaterThan(0);
      expect(durationMs / TASK_MS).toBeGreaterThan(0.9);
    }
  });

  // The next message can arrive while a task ends: two tasks in one iteration of the worker's loop are one block.
  test.concurrent.each(onOneMajor(['workerpool', 'jest-worker', 'messages']))('%s', async (_label, pool, major) => {
    const tasks = tasksOf(await record([fixture('pools.cjs'), pool], major));
    const totalMs = tasks.reduce((sum, { durationMs }) => sum + durationMs, 0);
    expect(totalMs / (TASKS * TASK_MS)).toBeGreaterThan(0.9);
  });
});

describe('what runs after the evaluation of the entry point is reported', () => {
  test.concurrent.each(onOneMajor(['first-message.cjs', 'first-message.mjs']))(
    'the first message of %s',
    async (_label, program, major) => {
      expect(culpritsOf(await record([fixture(program)], major))).toEqual(['computeReport']);
    },
  );

  test.concurrent.each(onOneMajor(['first-phase.cjs', 'first-phase.mjs']))(
    "a timer in the loop's first phase: %s",
    async (_label, program, major) => {
      const recording = await record([fixture(program)], major);
      expect(culpritsOf(recording)).toEqual(['firstTimer']);
      const tookMs = Number(/^firstTimer took (\S+) ms$/m.exec(recording.stdout)?.[1]);
      const { durationMs } = recording.blocks.find(({ culprit }) => culprit?.functionName === 'firstTimer')!;
      expect(durationMs / tookMs).toBeGreaterThan(0.95);
      expect(durationMs / tookMs).toBeLessThan(1.7);
    },
  );

  test.concurrent.each(sampledMajors(22, 26))(`${promiseJobs}, on Node.js %d`, async (major) => {
    const { blocks } = await record([fixture('promise-jobs-after-start-up.cjs')], major);
    expect(blocks.map(({ stackTrace }) => stackTrace)).toEqual([expect.stringMatching(/\bbundle\b/)]);
  });

  test.concurrent.each(sampledMajors(20, 26))(
    'code after a top-level await, and what follows, on Node.js %d',
    async (major) => {
      expect(culpritsOf(await record([fixture('top-level-await.mjs')], major))).toEqual(['afterAwait', 'laterTimer']);
    },
  );
});

test.concurrent.each(sampledMajors(20, 26))(
  'start-up ends at the first block of an entry point that only awaits files, on Node.js %d',
  async (major) => {
    const { blocks, startUp, durationMs, lag } = await record([fixture('top-level-files.mjs')], major);
    const [first] = blocks;
    expect(first?.culprit?.functionName).toBe('summarise');
    // The same time is not said to be a block and not to count.
    const blockedMs = blocks.reduce((sum, block) => sum + block.durationMs, 0);
    expect(startUp!.threads[0]!.durationMs + blockedMs).toBeLessThan(durationMs);
    expect(lag.summary?.maxMs).toBeGreaterThan(300);
  },
);

describe('an idle program is not reported when a signal makes it', () => {
  test.concurrent.each(
    onOneMajor(['default', 'exit', 'exit after a short clean-up', 'close the server', 'exit in a timer']),
  )('%s', async (_label, how, major) => {
    // At once: both programs are idle nearly all the time.
    const recordings = await Promise.all((['SIGINT', 'SIGTERM'] as const).map((signal) => endBy(signal, how, major)));
    // On a busy host, the program waits for a CPU when it ends, or its hypervisor holds it up.
    const isOfHost = ({ cause, because = '' }: (typeof recordings)[number]['blocks'][number]): boolean =>
      cause === 'cpu_starved' || because.startsWith('held up');
    const blocks = recordings.flatMap((recording) => recording.blocks);
    expect(blocks.filter((block) => !isOfHost(block))).toEqual([]);
  });
});

test.concurrent.each(sampledMajors(20, 24))(
  'a program that sleeps before it exits is reported, for about as long as it sleeps, on Node.js %d',
  async (major) => {
    const { blocks } = await endBy('SIGTERM', 'sleep before the exit', major);
    expect(blocks).toMatchObject([
      { cause: 'waiting', culprit: { functionName: expect.stringContaining('sleepBeforeExit') } },
    ]);
    expect(blocks[0]!.durationMs / 600).toBeGreaterThan(0.8);
    expect(blocks[0]!.durationMs / 600).toBeLessThan(1.4);
  },
);

describe('start-up', () => {
  test.concurrent.each(onOneMajor(['return', 'exit']))(
    'is reported as start-up, and not as a block, when the program ends by %s',
    async (_label, how, major) => {
      const { stderr, startUp, blocks } = await record([fixture('slow-start-up.cjs'), how], major);
      expect(blocks).toEqual([]);
      expect(stderr).toMatch(/^loopwatch Start-up took [\d.]+ m?s, not counted; --startup counts and names it\.$/m);
      expect(startUp).toMatchObject({ counted: false, threads: [{ threadId: 0, threadName: 'main' }] });
      expect(startUp!.threads[0]!.durationMs).toBeGreaterThan(700);
    },
  );

  test.concurrent.each(onOneMajor(['return', 'exit']))(
    'is counted and named with --startup, ended by %s',
    async (_label, how, major) => {
      const recording = await record([fixture('slow-start-up.cjs'), how], major, ['--startup', '--fail-on', '300']);
      expect(culpritsOf(recording)).toEqual(['compileAll']);
      expect(recording.startUp?.counted).toBe(true);
      expect(recording.stderr).toMatch(/^loopwatch Failed: .* compileAll /m);
      expect(recording.stderr).not.toContain('not counted');
    },
  );
});

test.each(['node', 'shop'])('a start-up in which a signal ends %s is said not to have ended', async (name) => {
  const binary = path.join(directory, name);
  await copyFile(nodeBinary(workspaceNodeMajor), binary);
  const cli = startCli(['run', '--', binary, '-e', 'console.log("ready"); for (;;);']);
  await cli.waitFor(/^ready$/m);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  cli.child.kill('SIGTERM');
  const { signal, stderr } = await cli.result;
  expect(signal).toBe('SIGTERM');
  expect(stderr).toMatch(/^loopwatch Start-up had not ended after [\d.]+ m?s, and is not counted; --startup /m);
});

/** Runs the idle program for a while and ends it by a signal that it alone receives. */
async function endBy(signal: NodeJS.Signals, how: string, major: NodeMajor): Promise<Recording> {
  const program = ['sh', '-c', 'node "$0" "$1" & echo "pid $!"; wait $!', fixture('idle-until-signal.cjs'), how];
  const json = newFile();
  const cli = startCli(['run', '--json', json, '--', ...program], { major });
  const [, pid] = await cli.waitFor(/^pid (\d+)$/m);
  await cli.waitFor(/^ready$/m);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  process.kill(Number(pid), signal);
  await cli.result;
  return JSON.parse(await readFile(json, 'utf8')) as Recording;
}
