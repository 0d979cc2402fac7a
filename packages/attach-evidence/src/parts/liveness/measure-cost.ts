import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';
import { freePort } from '@loopwatch/test-support/free-port';

import { subjectsDirectory } from '../../paths.ts';
import { Child } from '../../process/child.ts';
import { cpuTimeMs } from '../../process/cpu-time.ts';
import { privateMemoryMb } from '../../process/memory.ts';
import { meanWithInterval } from '../../statistics.ts';
import type { Estimate } from '../../statistics.ts';
import { ask } from './ask.ts';

/** CPU time in percent of a core, more than a process without `livenessPort`, at the same time. */
export interface CostResult {
  readonly nodeMajor: NodeMajor;
  readonly windows: number;
  readonly windowSeconds: number;
  readonly on: Estimate;
  readonly askedEachSecond: Estimate;
  /** A process with a bare server of node:net in a worker thread, asked each second too. */
  readonly bareAskedEachSecond: Estimate;
  /** Private memory at the end, more than that of the process without `livenessPort`, in MB. */
  readonly memoryMb: { readonly askedEachSecond: number; readonly bareAskedEachSecond: number };
}

export interface CostSettings {
  readonly windows: number;
  readonly windowSeconds: number;
  /** Until V8 has compiled what it will compile, and idle processes are in idle mode. */
  readonly settleSeconds: number;
}

const kinds = ['off', 'on', 'asked', 'bare'] as const;
type Kind = (typeof kinds)[number];
const answersOf: Readonly<Record<Kind, string>> = { off: 'off', on: 'livez', asked: 'livez', bare: 'bare' };

/** Runs four idle processes side by side, and compares their CPU time window by window. */
export async function measureCost(
  major: NodeMajor,
  { windows, windowSeconds, settleSeconds }: CostSettings,
): Promise<CostResult> {
  const processes = {} as Record<Kind, { readonly child: Child; readonly port: number }>;
  try {
    for (const kind of kinds) {
      const port = await freePort();
      const args = [path.join(subjectsDirectory, 'liveness.cjs'), answersOf[kind], String(port)];
      processes[kind] = { child: new Child(nodeBinary(major), args, { killAfterMs: 600_000 }), port };
      await processes[kind].child.waitFor(/ready\n/);
    }
    const run = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        await ask(processes.asked.port);
        await ask(processes.bare.port);
        await sleep(1000);
      }
    };
    await run(settleSeconds);
    const differences: Record<Exclude<Kind, 'off'>, number[]> = { on: [], asked: [], bare: [] };
    for (let window = 0; window < windows; window++) {
      const before = kinds.map((kind) => cpuTimeMs(processes[kind].child.pid));
      const startedAt = performance.now();
      await run(windowSeconds);
      const elapsedMs = performance.now() - startedAt;
      const [off, ...others] = kinds.map(
        (kind, index) => (100 * (cpuTimeMs(processes[kind].child.pid) - before[index]!)) / elapsedMs,
      );
      (['on', 'asked', 'bare'] as const).forEach((kind, index) => differences[kind].push(others[index]! - off!));
    }
    const memoryOf = (kind: Kind): number => privateMemoryMb(processes[kind].child.pid);
    return {
      nodeMajor: major,
      windows,
      windowSeconds,
      on: meanWithInterval(differences.on),
      askedEachSecond: meanWithInterval(differences.asked),
      bareAskedEachSecond: meanWithInterval(differences.bare),
      memoryMb: {
        askedEachSecond: memoryOf('asked') - memoryOf('off'),
        bareAskedEachSecond: memoryOf('bare') - memoryOf('off'),
      },
    };
  } finally {
    await Promise.all(Object.values(processes).map(({ child }) => child[Symbol.asyncDispose]()));
  }
}
