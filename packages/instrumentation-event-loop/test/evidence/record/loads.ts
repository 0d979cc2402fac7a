import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';

import { cpuQuotas } from '@loopwatch/test-support';
import type { RunOptions } from '@loopwatch/test-support';

/**
 * How a program is loaded:
 * - `alone`: as the machine is found, which the recording measures;
 * - `shared`: on one CPU, which an endless loop shares with it;
 * - `quota`: in a control group with half of a CPU.
 */
export const loads = ['alone', 'shared', 'quota'] as const;
export type Load = (typeof loads)[number];

export interface Loaded extends AsyncDisposable {
  readonly options: Partial<Pick<RunOptions, 'launcher' | 'onStart' | 'env'>>;
}

const QUOTA_SHARE = 0.5;

export function isPossible(load: Load): boolean {
  if (load === 'quota') return cpuQuotas().length > 0;
  return load === 'alone' || process.platform === 'linux';
}

/** Prepares the load for one run. */
export function prepare(load: Load): Loaded {
  if (load === 'alone') return { options: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  return load === 'shared' ? besideLoop() : inQuota();
}

function besideLoop(): Loaded {
  const cpu = /^Cpus_allowed_list:.*?(\d+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  const pinned = ['taskset', '-c', cpu];
  const loop = spawn('taskset', [...pinned.slice(1), process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' });
  return {
    options: { launcher: pinned },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        loop.once('exit', () => {
          resolve();
        });
        loop.kill('SIGKILL');
      }),
  };
}

function inQuota(): Loaded {
  const group = cpuQuotas()[0]!.make();
  return {
    options: {
      onStart: (child) => {
        group.throttle(child.pid!, QUOTA_SHARE);
      },
      env: { LOOPWATCH_MEASURE_QUOTA: group.statisticsFile },
    },
    [Symbol.asyncDispose]: () => group[Symbol.asyncDispose](),
  };
}

/** How loaded the machine is at this moment. */
export interface MachineLoad {
  readonly cores: number;
  /** Runnable threads, averaged over a minute. */
  readonly loadAverage: number;
  /** Share of the last ten seconds in which some thread waited for a CPU, in %; absent without PSI. */
  readonly waitingPercent?: number | undefined;
}

export function machineLoad(): MachineLoad {
  return { cores: os.availableParallelism(), loadAverage: os.loadavg()[0]!, waitingPercent: pressure() };
}

/** A machine on which hardly a thread waits for a CPU. */
export function isCalm({ cores, loadAverage, waitingPercent }: MachineLoad): boolean {
  return waitingPercent === undefined ? loadAverage < cores / 2 : waitingPercent < 10;
}

function pressure(): number | undefined {
  try {
    return Number(/avg10=([\d.]+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
