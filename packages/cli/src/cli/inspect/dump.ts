import { setTimeout as sleep } from 'node:timers/promises';

import { isBlocked, type ProcessDump, type ThreadDump } from '../../model/dump.js';
import { checkTarget, type Target } from './checks.js';
import { closedClusterWorkers, closeInspectors, openWorkersText } from './cluster-workers.js';
import { connectInspector, type InspectorClient, NoAnswer } from './inspector-client.js';
import { closeLater, guard, isClosed } from './leave.js';
import { lookAtThread } from './look-at-thread.js';
import { type OpenInspector, openInspector } from './open-inspector.js';
import { childrenOf, commandOf, type ProcessInfo, threadCpuMs, threadState } from './processes.js';
import { Refusal } from './refusal.js';
import { evaluation, parseSnapshot, snapshotExpression, type Snapshot } from './snapshot.js';
import { sayWhileWaiting } from './wait-message.js';
import { attachToWorkers, type WorkerTarget } from './worker-threads.js';

export interface DumpOptions {
  /** How long the main thread may take to answer. */
  readonly timeoutMs: number;
  /** Called when the process does not answer at once. */
  onWait(message: string): void;
}

/** A main thread that uses less of the CPU is not inside a native computation. */
const BUSY_SHARE = 0.5;
const OWN_CPU_MS = 100;

/** Reads where all threads of a process are, and leaves the process as it was. Throws a `Refusal` before any harm. */
export async function dumpProcess(pid: number, options: DumpOptions): Promise<ProcessDump> {
  const target = checkTarget(pid, 'dump');
  const { info } = target;
  const clusterWorkers = closedClusterWorkers(pid);
  const answered = sayWhileWaiting(pid, options);
  try {
    const startedAt = performance.now();
    const inspector = await openInspector(target, options.timeoutMs);
    if (!inspector) return await silentDump(target);
    const remainingMs = Math.max(1000, options.timeoutMs - (performance.now() - startedAt));
    return await dumpThrough(inspector, remainingMs, answered);
  } finally {
    answered();
  }

  async function dumpThrough(inspector: OpenInspector, timeoutMs: number, onAnswer: () => void): Promise<ProcessDump> {
    const { wasOpen } = inspector;
    const client = await connectInspector(inspector.url);
    if (!wasOpen) guard(client, inspector.nodeVersion);
    let threads: readonly ThreadDump[];
    const notes: string[] = [];
    try {
      threads = await readThreads(client, info, inspector.nodeVersion, timeoutMs, notes, onAnswer);
    } finally {
      // The process executes it as soon as it can, also when it has not answered so far.
      if (!wasOpen) await closeLater(client, inspector.nodeVersion);
      await client.close().catch(() => undefined);
    }
    const stillOpen = wasOpen ? [] : await closeInspectors(clusterWorkers, inspector.address.port);
    const openWorkers = openWorkersText(stillOpen);
    if (openWorkers !== undefined) notes.push(openWorkers);
    if (wasOpen) threads = threads.map(markPause);
    if (wasOpen) notes.push(`The inspector was open on port ${inspector.address.port} before, and stays open.`);
    else if (isMainBlocked(threads) || !(await isClosed(pid, inspector))) {
      const { host, port } = inspector.address;
      notes.push(
        `The inspector stays open on ${host}:${port} until the event loop iterates again: only a timer can close it ` +
          'without a risk for the process.',
      );
    }
    return { ...describe(info), nodeVersion: inspector.nodeVersion, threads, notes };
  }
}

/** No timer closes the inspector then before the event loop iterates: there is nothing to wait for. */
function isMainBlocked(threads: readonly ThreadDump[]): boolean {
  return threads.some((thread) => thread.threadId === 0 && isBlocked(thread));
}

/** A debugger, which came by the open inspector, leaves the paused thread its stack and no CPU time. */
function markPause(thread: ThreadDump): ThreadDump {
  const mayBePaused = thread.state === 'running' && isBlocked(thread) && (thread.cpuShare ?? 0) < BUSY_SHARE;
  return mayBePaused ? { ...thread, mayBePaused } : thread;
}

async function readThreads(
  client: InspectorClient,
  info: ProcessInfo,
  nodeVersion: string,
  timeoutMs: number,
  notes: string[],
  onAnswer: () => void,
): Promise<ThreadDump[]> {
  const { pid, innerPid } = info;
  const parameters = evaluation(snapshotExpression({ readsResource: true }), nodeVersion);
  const cpuMs = (tid: number | undefined): number | undefined =>
    tid === undefined ? undefined : threadCpuMs(pid, tid);
  const readWorkers = async (): Promise<ThreadDump[]> => {
    const workers = await attachToWorkers(client, timeoutMs);
    const cpuMsOfWorker = pid === innerPid ? cpuMs : (): undefined => undefined;
    return Promise.all(workers.map((worker) => readWorker(worker, cpuMsOfWorker, parameters, timeoutMs)));
  };
  /** Beside the main thread, as soon as the right process has answered. */
  let workers: Promise<ThreadDump[]> | undefined;
  const answerOf = (snapshot: Snapshot | undefined): Snapshot | undefined => {
    if (snapshot && snapshot.pid !== innerPid) {
      throw new Refusal(
        `process ${innerPid} to answer`,
        `process ${snapshot.pid} answers on that port`,
        'Nothing was done to it. Try again when its inspector is closed.',
      );
    }
    onAnswer();
    if (snapshot && !workers) {
      workers = readWorkers();
      workers.catch(() => undefined); // awaited below
    }
    return snapshot;
  };
  let main: ThreadDump | undefined;
  try {
    main = await lookAtThread({
      threadId: 0,
      threadName: 'main',
      ask: async () => answerOf(parseSnapshot(await client.call('Runtime.evaluate', parameters, timeoutMs))),
      // The id of the main thread is that of the process, also where the process has another one in its container.
      cpuMs: () => cpuMs(pid),
    });
    const others = await (workers ?? readWorkers());
    return [{ ...main, threadName: 'main' }, ...others];
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    notes.push('Worker threads are reached through the main thread, which does not answer.');
    return [main ? { ...main, threadName: 'main' } : await silentThread(info, notes)];
  }
}

async function readWorker(
  worker: WorkerTarget,
  cpuMs: (tid: number | undefined) => number | undefined,
  parameters: object,
  timeoutMs: number,
): Promise<ThreadDump> {
  const { threadId, threadName } = worker;
  try {
    return await lookAtThread({
      threadId,
      threadName,
      ask: async () => parseSnapshot(await worker.call('Runtime.evaluate', parameters, timeoutMs)),
      cpuMs,
    });
  } catch {
    return { threadId, threadName, state: 'no_answer', stack: [], atLeastMs: timeoutMs };
  }
}

/** What is known of a process whose inspector has not opened. */
async function silentDump({ info, port }: Target): Promise<ProcessDump> {
  const notes: string[] = [];
  const main = await silentThread(info, notes);
  // A thread that waits for a CPU uses none on a busy machine, and is not idle.
  const isRunnable = threadState(info.pid, info.pid) === 'R';
  if (!isRunnable && (main.cpuShare ?? 1) < BUSY_SHARE && childrenOf(info.pid).length === 0) {
    throw new Refusal(
      `process ${info.pid} to open its inspector on SIGUSR1`,
      'none, although its main thread is not busy',
      'The program has probably a listener of its own for SIGUSR1, which has got the signal, or waits in a synchronous ' +
        'call such as readSync. Start it with --inspect, or with: loopwatch run',
    );
  }
  notes.push(
    `SIGUSR1 stays pending: the inspector opens on port ${port} when that call returns, and nothing closes it then. With ` +
      'a --timeout that is longer than the call, the dump shows what called it, and closes the inspector.',
  );
  return { ...describe(info), threads: [main], notes };
}

/** The main thread as the kernel sees it. */
async function silentThread(info: ProcessInfo, notes: string[]): Promise<ThreadDump> {
  const { pid } = info;
  const before = threadCpuMs(pid, pid);
  await sleep(OWN_CPU_MS);
  const after = threadCpuMs(pid, pid);
  const cpuShare = before === undefined || after === undefined ? undefined : Math.min(1, (after - before) / OWN_CPU_MS);
  const children = childrenOf(pid).map((child) => `${child.pid} (${commandOf(child)})`);
  const state = threadState(pid, pid) === 'R' ? 'uses the CPU' : 'sleeps in the kernel';
  notes.push(
    `The main thread does not answer: it is inside a call that V8 cannot interrupt, and ${state}.` +
      (children.length > 0 ? ` It may wait for its child process ${children.join(', ')}, as in execSync.` : ''),
  );
  return {
    threadId: 0,
    threadName: 'main',
    state: 'no_answer',
    stack: [],
    atLeastMs: 0,
    ...(cpuShare !== undefined && { cpuShare }),
  };
}

function describe(info: ProcessInfo): Pick<ProcessDump, 'pid' | 'command' | 'ageMs' | 'cpuMs' | 'takenMs'> {
  return { pid: info.pid, command: commandOf(info), ageMs: info.ageMs, cpuMs: info.cpuMs, takenMs: Date.now() };
}
