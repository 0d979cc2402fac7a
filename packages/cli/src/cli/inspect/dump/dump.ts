import { isBlocked, type ProcessDump, type ThreadDump } from '../../../model/processes/dump.js';
import { leaveOnSignal } from '../../platform/leave-on-signal.js';
import { assertAnswers } from '../inspector/answering-process.js';
import { askAgain } from '../inspector/ask-again.js';
import { closedClusterWorkers, closeInspectors, openWorkersText } from '../inspector/cluster-workers.js';
import { connectInspector, type InspectorClient, NoAnswer, ProcessEnds } from '../inspector/inspector-client.js';
import { closeLater, enter, isClosed } from '../inspector/leave.js';
import { lookAtThread, type ThreadAccess } from '../inspector/look-at-thread.js';
import { type OpenInspector, openInspector } from '../inspector/open-inspector.js';
import { isDebuggerConnected, markPauses } from '../inspector/pause.js';
import { evaluation, parseSnapshot, snapshotExpression, type Snapshot } from '../inspector/snapshot.js';
import { startCloser } from '../inspector/start-closer.js';
import { sayWhileWaiting } from '../inspector/wait-message.js';
import { attachToWorkers, type WorkerTarget } from '../inspector/worker-threads.js';
import { checkTarget, type InspectorTarget } from '../process/checks.js';
import {
  childrenOf,
  commandOf,
  isThreadReady,
  type ProcessInfo,
  readProcess,
  threadCpuMs,
} from '../process/processes.js';
import { silenceNote } from './silence-note.js';
import { fullPoolNote, fullPoolOf } from '../process/full-pool.js';
import { assertNoOwnListener, mainCpuShare } from '../process/silent-process.js';
import { connectedPortsOf } from '../process/sockets.js';
import { inSources } from './map-dump.js';
import { mainThread, type MainThread, STOPPED_TEXT } from '../inspector/stop-and-ask.js';

export interface DumpOptions {
  /** How long the main thread may take to answer. */
  readonly timeoutMs: number;
  /**
   * Its inspector was closed before the command: a cluster worker opens its own when it gets the signal from its primary.
   */
  readonly wasClosed?: boolean;
  /** Called when the process does not answer at once. */
  onWait(message: string): void;
}

/** Reads where all threads of a process are, and leaves the process as it was. Throws a `Refusal` before any harm. */
export function dumpProcess(pid: number, options: DumpOptions): Promise<ProcessDump> {
  return askAgain(pid, () => dumpOnce(pid, options));
}

async function dumpOnce(pid: number, options: DumpOptions): Promise<ProcessDump> {
  const target = checkTarget(pid, 'dump');
  const { info } = target;
  const clusterWorkers = closedClusterWorkers(pid);
  const portsBefore = connectedPortsOf(pid);
  const fullPoolBefore = fullPoolOf(pid);
  const answered = sayWhileWaiting(pid, { ...options, isSignalled: target.mayListenOn.length === 0 });
  const endCloser = startCloser(target);
  try {
    const startedAt = performance.now();
    const inspector = await openInspector(target, options);
    if (!inspector) return await silentDump(target);
    const remainingMs = Math.max(1000, options.timeoutMs - (performance.now() - startedAt));
    return await dumpThrough(inspector, remainingMs, answered);
  } finally {
    endCloser();
    answered();
  }

  async function dumpThrough(inspector: OpenInspector, timeoutMs: number, onAnswer: () => void): Promise<ProcessDump> {
    const client = await connectInspector(inspector.url);
    const entered = enter(client, inspector, timeoutMs).finally(endCloser);
    let threads: readonly ThreadDump[];
    const notes: string[] = [];
    // A debugger that is connected would be shown the stops.
    const asked = mainThread(client, timeoutMs, !inspector.wasOpen);
    const stopLeaving = leaveOnSignal(() => closeLater(client, inspector, asked));
    try {
      threads = await readThreads(client, asked, info, inspector.nodeVersion, timeoutMs, notes, onAnswer);
      if (asked.isStopped) notes.push(STOPPED_TEXT);
    } finally {
      stopLeaving();
      // The process executes it as soon as it can, also when it has not answered so far.
      await closeLater(client, inspector, asked);
      await client.close().catch(() => undefined);
    }
    const isToClose = await entered;
    const stillOpen = inspector.wasOpen ? [] : await closeInspectors(clusterWorkers, inspector.address.port);
    const openWorkers = openWorkersText(stillOpen);
    if (openWorkers !== undefined) notes.push(openWorkers);
    const fullPool = fullPoolNote(pid, fullPoolBefore, fullPoolOf(pid));
    if (fullPool !== undefined) notes.push(fullPool);
    threads = inSources(markPauses(threads, isDebuggerConnected(inspector, portsBefore)), asOfNow(info));
    if (!isToClose) notes.push(`The inspector was open on port ${inspector.address.port} before, and stays open.`);
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

async function readThreads(
  client: InspectorClient,
  asked: MainThread,
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
  const isReady = (tid: number | undefined): boolean | undefined =>
    tid === undefined ? undefined : isThreadReady(pid, tid);
  const readWorkers = async (): Promise<ThreadDump[]> => {
    const workers = await attachToWorkers(client, timeoutMs);
    // In a container, a thread has another id than it knows of itself.
    const kernel = pid === innerPid ? { cpuMs, isReady } : { cpuMs: unknown, isReady: unknown };
    return Promise.all(workers.map((worker) => readWorker(worker, kernel, parameters, timeoutMs)));
  };
  /** Beside the main thread, as soon as the right process has answered. */
  let workers: Promise<ThreadDump[]> | undefined;
  const answerOf = (snapshot: Snapshot | undefined): Snapshot | undefined => {
    if (snapshot) assertAnswers(info, snapshot);
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
      ask: async () => answerOf(parseSnapshot(await asked.evaluate(parameters))),
      // The id of the main thread is that of the process, also where the process has another one in its container.
      cpuMs: () => cpuMs(pid),
      isReady: () => isReady(pid),
    });
    const others = await (workers ?? readWorkers());
    return [{ ...main, threadName: 'main' }, ...others];
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    notes.push('Worker threads are reached through the main thread, which does not answer.');
    return [main ? { ...main, threadName: 'main' } : await silentThread(info, notes)];
  }
}

function unknown(): undefined {
  return undefined;
}

async function readWorker(
  worker: WorkerTarget,
  kernel: Pick<ThreadAccess, 'cpuMs' | 'isReady'>,
  parameters: object,
  timeoutMs: number,
): Promise<ThreadDump> {
  const { threadId, threadName } = worker;
  try {
    return await lookAtThread({
      threadId,
      threadName,
      ask: async () => parseSnapshot(await worker.call('Runtime.evaluate', parameters, timeoutMs)),
      ...kernel,
    });
  } catch (error) {
    if (error instanceof ProcessEnds) throw error;
    return { threadId, threadName, state: 'no_answer', stack: [], atLeastMs: timeoutMs };
  }
}

/** What is known of a process whose inspector has not opened. */
async function silentDump({ info, port }: InspectorTarget): Promise<ProcessDump> {
  const notes: string[] = [];
  const main = await silentThread(info, notes);
  await assertNoOwnListener(info, main.cpuShare);
  notes.push(
    `SIGUSR1 stays pending: the inspector opens on port ${port} when that call returns, and nothing closes it then. With ` +
      'a --timeout that is longer than the call, the dump shows what called it, and closes the inspector.',
  );
  return { ...describe(info), threads: [main], notes };
}

/** The main thread as the kernel sees it. */
async function silentThread(info: ProcessInfo, notes: string[]): Promise<ThreadDump> {
  const { pid } = info;
  const cpuShare = await mainCpuShare(pid);
  const isReady = isThreadReady(pid, pid);
  notes.push(silenceNote({ cpuShare, isReady, children: childrenOf(pid) }));
  return {
    threadId: 0,
    threadName: 'main',
    state: 'no_answer',
    stack: [],
    atLeastMs: 0,
    ...(cpuShare !== undefined && { cpuShare }),
    ...(isReady !== undefined && { isReady }),
  };
}

function describe(info: ProcessInfo): Pick<ProcessDump, 'pid' | 'command' | 'ageMs' | 'cpuMs' | 'takenMs'> {
  const { ageMs, cpuMs } = asOfNow(info);
  return { pid: info.pid, command: commandOf(info), ageMs, cpuMs, takenMs: Date.now() };
}

/** Its threads may have taken seconds to answer, and say times of then. Of a process that has ended: what was known. */
function asOfNow(info: ProcessInfo): ProcessInfo {
  const now = readProcess(info.pid);
  return now?.startedMs === info.startedMs ? now : info;
}
