import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { cliFile, hangProgram, subjectsDirectory } from '../../paths.ts';
import { Child } from '../../process/child.ts';
import { cpuTimeMs } from '../../process/cpu-time.ts';

/** A way to hang, and the function that a dump has to name; without one, the dump has to say why it cannot. */
export interface Hang {
  readonly way: string;
  readonly label: string;
  readonly culprit?: string;
}

export const hangs: readonly Hang[] = [
  { way: 'loop', label: 'endless loop', culprit: 'findParent' },
  { way: 'regex', label: 'regular expression', culprit: 'validateComment' },
  { way: 'recursion', label: 'recursion', culprit: 'countRoutes' },
  { way: 'microtasks', label: '`while` with awaits that never yield', culprit: 'drainQueue' },
  { way: 'thenChain', label: 'promise chain', culprit: 'chainPromises' },
  { way: 'nextTick', label: '`process.nextTick`', culprit: 'queueTicks' },
  { way: 'wait', label: '`Atomics.wait`', culprit: 'sleepInAtomics' },
  { way: 'generator', label: 'generator', culprit: 'pumpValues' },
  { way: 'sort', label: 'sort', culprit: 'sortScores' },
  { way: 'json', label: '`JSON.stringify` of one order after the other', culprit: 'exportOrders' },
  { way: 'forAwait', label: '`for await` over values that are there', culprit: 'readEverything' },
  { way: 'native', label: 'native call that does not end' },
];

export interface HangResult {
  readonly nodeMajor: NodeMajor;
  readonly way: string;
  /** The dump names the function, or says that the thread is inside a call that V8 cannot interrupt. */
  readonly isRight: boolean;
  /** From the start of `loopwatch dump` to its end. */
  readonly wallMs: number;
  /** CPU time that the hanging process used meanwhile. */
  readonly processMs: number;
  /** The dump, where it is wrong. */
  readonly output?: string;
}

const TIMEOUT_MS = 20_000;
/** For a hang that cannot answer: `--timeout` of its dump, ms. */
export const ANSWER_TIMEOUT_MS = 2000;

/** Programs that hang at the same time: with the CLI, twice as many as this machine has cores. */
const CONCURRENT = 3;

/** Lets programs hang, several at the same time, which loads the machine, and dumps each. */
export async function measureHangs(major: NodeMajor, ways: readonly Hang[] = hangs): Promise<HangResult[]> {
  const waiting = [...ways];
  const results: HangResult[] = [];
  const runNext = async (): Promise<void> => {
    for (let hang = waiting.shift(); hang; hang = waiting.shift()) {
      await using target = startHang(major, hang);
      await target.waitFor(/ready\n/);
      await untilItHangs(target.pid);
      results.push(await dump(major, hang, target.pid));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, runNext));
  return results.sort((a, b) => indexOf(a) - indexOf(b));
}

function indexOf({ way }: HangResult): number {
  return hangs.findIndex((hang) => hang.way === way);
}

function startHang(major: NodeMajor, { way }: Hang): Child {
  const own = ['json', 'forAwait'].includes(way);
  const program = own ? path.join(subjectsDirectory, 'hang.cjs') : hangProgram;
  return new Child(nodeBinary(major), ['--inspect-port=0', program, way]);
}

/** The hang begins 100 ms after `ready`; a busy machine delays it. */
async function untilItHangs(pid: number): Promise<void> {
  await sleep(200);
  const start = cpuTimeMs(pid);
  // One that sleeps in `Atomics.wait` uses no CPU.
  for (let tries = 0; tries < 10 && cpuTimeMs(pid) - start < 30; tries++) await sleep(50);
}

async function dump(major: NodeMajor, { way, culprit }: Hang, pid: number): Promise<HangResult> {
  const timeout = `${(culprit === undefined ? ANSWER_TIMEOUT_MS : TIMEOUT_MS) / 1000}s`;
  const startedAt = performance.now();
  const cpuBefore = cpuTimeMs(pid);
  const cli = new Child(nodeBinary(), [cliFile, 'dump', '--timeout', timeout, String(pid)]);
  const { code } = await cli.exit;
  const wallMs = performance.now() - startedAt;
  const expected =
    culprit === undefined
      ? /inside a call that V8 cannot interrupt, and/
      : new RegExp(`at \\S*${culprit} \\(.*:\\d+\\)`);
  const isRight = code === 0 && expected.test(cli.output);
  const processMs = cpuTimeMs(pid) - cpuBefore;
  return { nodeMajor: major, way, isRight, wallMs, processMs, ...(!isRight && { output: cli.output }) };
}
