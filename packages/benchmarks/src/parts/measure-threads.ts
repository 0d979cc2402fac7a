import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

export interface ThreadSettings {
  /** Numbers of worker threads. Each number has a process of its own. */
  readonly counts: readonly number[];
  readonly measuredMs: number;
  /**
   * Wait after all threads have loaded the instrumentation, in which V8 still cleans up in each of them. The wait after
   * the workers begin to work, both without and with the instrumentation, is at most this long.
   */
  readonly settleMs: number;
}

/** CPU in percent of one core. */
export interface ThreadsPhase {
  /** Of the watchdog's thread; absent where the system does not report the CPU of a thread. */
  readonly watchdogPercent?: number;
  /** Of the whole process, with the instrumentation in every thread. */
  readonly watchedPercent: number;
  /** Of the same process before, without the instrumentation. */
  readonly unwatchedPercent: number;
}

export interface ThreadsRow {
  readonly workers: number;
  readonly idle: ThreadsPhase;
  readonly busy: ThreadsPhase;
}

/** A line that `subjects/threads.cjs` prints. */
interface MeasuredPhase {
  readonly phase: 'idle' | 'busy' | 'idleInstrumented' | 'busyInstrumented';
  readonly processPercent: number;
  readonly watchdogPercent?: number;
}

/** Time to start the threads and to load the instrumentation in each, on two busy cores. */
const START_TIMEOUT_MS = 60_000;
const START_TIMEOUT_PER_WORKER_MS = 2000;

export async function measureThreads(
  platform: Platform,
  { counts, measuredMs, settleMs }: ThreadSettings,
  onProgress: (text: string) => void,
): Promise<ThreadsRow[]> {
  const rows: ThreadsRow[] = [];
  for (const workers of counts) {
    onProgress(`${workers} worker threads`);
    const subject = new Subject(platform, {
      program: 'threads.cjs',
      args: [String(workers)],
      env: { BENCH_THREADS_MS: String(measuredMs), BENCH_SETTLE_MS: String(settleMs) },
      timeoutMs: START_TIMEOUT_MS + workers * START_TIMEOUT_PER_WORKER_MS + 4 * measuredMs + 3 * settleMs,
    });
    try {
      const phases: MeasuredPhase[] = [];
      while (phases.length < 4) phases.push(await subject.nextMessage<MeasuredPhase>());
      rows.push(rowOf(workers, phases));
    } finally {
      await subject.stop();
    }
  }
  return rows;
}

export function rowOf(workers: number, phases: readonly MeasuredPhase[]): ThreadsRow {
  const phaseOf = (name: MeasuredPhase['phase']): MeasuredPhase => {
    const found = phases.find(({ phase }) => phase === name);
    if (!found) throw new Error(`Expected the phase ${name}, got ${phases.map(({ phase }) => phase).join(', ')}.`);
    return found;
  };
  const pairOf = (without: MeasuredPhase, { processPercent, watchdogPercent }: MeasuredPhase): ThreadsPhase => ({
    ...(watchdogPercent !== undefined && { watchdogPercent }),
    watchedPercent: processPercent,
    unwatchedPercent: without.processPercent,
  });
  return {
    workers,
    idle: pairOf(phaseOf('idle'), phaseOf('idleInstrumented')),
    busy: pairOf(phaseOf('busy'), phaseOf('busyInstrumented')),
  };
}
