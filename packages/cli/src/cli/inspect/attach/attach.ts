import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { agentExpression } from '../../../channel/agent-expression.js';
import { ATTACH_IS_WATCHED, type ChannelConfig } from '../../../channel/contract.js';
import type { ThreadDump } from '../../../model/processes/dump.js';
import { Refusal } from '../../platform/refusal.js';
import { assertAnswers } from '../inspector/answering-process.js';
import { askAgain } from '../inspector/ask-again.js';
import { closedClusterWorkers, closeInspectors, openWorkersText } from '../inspector/cluster-workers.js';
import { ConnectionClosed, connectInspector, type InspectorClient } from '../inspector/inspector-client.js';
import { closeLater, enter, isClosed } from '../inspector/leave.js';
import { lookAtThread } from '../inspector/look-at-thread.js';
import { describeInspector, openInspector } from '../inspector/open-inspector.js';
import { isDebuggerConnected, markPauses } from '../inspector/pause.js';
import { evaluation, parseSnapshot, snapshotExpression } from '../inspector/snapshot.js';
import { startCloser } from '../inspector/start-closer.js';
import { type MainThread, mainThread } from '../inspector/stop-and-ask.js';
import { sayWhileWaiting } from '../inspector/wait-message.js';
import { checkTarget } from '../process/checks.js';
import { isForeign, isThreadReady, type ProcessInfo, threadCpuMs } from '../process/processes.js';
import { assertNoOwnListener, mainCpuShare } from '../process/silent-process.js';
import { connectedPortsOf, holderOfPort } from '../process/sockets.js';
import type { AttachConnections } from './attach-connections.js';
import { openRecords } from './open-records.js';

export interface AttachedProcess {
  readonly pid: number;
  /** Id of the process in its own pid namespace, with which it introduces itself. */
  readonly innerPid: number;
  /** The descriptor of its file of records. */
  readonly records: number;
  /** Where the main thread was at the time of the attach. */
  readonly main: ThreadDump;
  /** The main thread has not left its callback while it was looked at. */
  readonly isBlocked: boolean;
  /** V8 evaluates nothing in an interrupt: the main thread was stopped for the questions. */
  readonly wasStopped: boolean;
  /** Closed; open as it was before; or open because the process hangs: it is closed when the event loop iterates. */
  readonly inspector: 'closed' | 'was_open' | 'hangs';
}

/** Whose records they are; `isForeign` as of processes. */
export interface RecordsOf extends Pick<AttachedProcess, 'pid' | 'innerPid'> {
  readonly isForeign: boolean;
}

/** What the threads of a process write, and the connection by which it notices the end of the CLI. */
interface AttachChannel {
  readonly config: ChannelConfig;
  readonly connections: AttachConnections;
  /** Takes the descriptor of a file that a process appends its records to from now on. */
  onRecords(descriptor: number, ofProcess: RecordsOf): void;
}

export interface AttachToOptions {
  readonly channel: AttachChannel;
  /** How long the main thread may take to answer. */
  readonly timeoutMs: number;
  /**
   * Its inspector was closed before the command: a cluster worker opens its own when it gets the signal from its primary.
   */
  readonly wasClosed?: boolean;
  /** Called when the process does not answer at once, and when inspectors of its cluster workers stay open. */
  onWait(message: string): void;
}

/** A main thread that has been in one iteration for so long while it was looked at is blocked. */
const BLOCKED_MS = 150;
const OLDEST_NODE = [20, 6] as const;
/** Characters of a text that the process says. */
const MAX_ANSWER = 500;

/** Instruments a process that already runs. Its threads write to the channel. */
export function attachToProcess(pid: number, options: AttachToOptions): Promise<AttachedProcess> {
  return askAgain(pid, () => attachOnce(pid, options));
}

async function attachOnce(pid: number, options: AttachToOptions): Promise<AttachedProcess> {
  const target = checkTarget(pid, 'attach');
  const clusterWorkers = closedClusterWorkers(pid);
  const portsBefore = connectedPortsOf(pid);
  const answered = sayWhileWaiting(pid, { ...options, isSignalled: target.mayListenOn.length === 0 });
  const endCloser = startCloser(target);
  try {
    const inspector = await openInspector(target, options);
    if (!inspector) {
      await assertNoOwnListener(target.info, await mainCpuShare(pid));
      throw new Refusal(
        `process ${pid} to open its inspector on SIGUSR1 within ${options.timeoutMs / 1000} s`,
        'none',
        `Its main thread is inside a call that V8 cannot interrupt. See where it is: loopwatch dump ${pid}`,
      );
    }
    const client = await connectInspector(inspector.url);
    const entered = enter(client, inspector, options.timeoutMs).finally(endCloser);
    // A debugger that is connected would be shown the stops.
    const asked = mainThread(client, options.timeoutMs, !inspector.wasOpen);
    const leave = async (isBlocked = false): Promise<AttachedProcess['inspector']> => {
      await closeLater(client, inspector, asked);
      await client.close();
      if (!(await entered)) return 'was_open';
      const openWorkers = openWorkersText(await closeInspectors(clusterWorkers, inspector.address.port));
      if (openWorkers !== undefined) options.onWait(openWorkers);
      // No timer closes the inspector of a blocked process: there is nothing to wait for.
      return !isBlocked && (await isClosed(pid, inspector)) ? 'closed' : 'hangs';
    };
    try {
      const attached = await inject(client, asked, inspector.nodeVersion, {
        ...options,
        info: target.info,
        answered,
      });
      const [main = attached.main] = markPauses([attached.main], isDebuggerConnected(inspector, portsBefore));
      return { ...attached, main, inspector: await leave(attached.isBlocked) };
    } catch (error) {
      await leave();
      throw error;
    }
  } finally {
    endCloser();
    answered();
  }
}

/** As `attachToProcess`, through an inspector that is open already, and stays open. */
export async function attachToInspector(url: string, options: AttachToOptions): Promise<AttachedProcess> {
  const inspector = await describeInspector(new URL(url).host);
  if (!inspector) {
    throw new Refusal(
      `an inspector of Node.js at ${url}`,
      'none',
      'Give the address that Node.js prints, such as ws://127.0.0.1:9229',
    );
  }
  const { info, address } = holderOfPort(Number(new URL(inspector.url).port));
  const portsBefore = connectedPortsOf(info.pid);
  const client = await connectInspector(inspector.url);
  const answered = sayWhileWaiting(url, options);
  try {
    const asked = mainThread(client, options.timeoutMs, false);
    const attached = await inject(client, asked, inspector.nodeVersion, { ...options, info, answered });
    const isDebugged = isDebuggerConnected({ ...inspector, address, wasOpen: true }, portsBefore);
    const [main = attached.main] = markPauses([attached.main], isDebugged);
    return { ...attached, main, inspector: 'was_open' };
  } finally {
    answered();
    await client.close();
  }
}

interface Injection extends AttachToOptions {
  /** The process that must answer. */
  readonly info: ProcessInfo;
  /** Called when it has answered. */
  readonly answered: () => void;
}

async function inject(
  client: InspectorClient,
  asked: MainThread,
  nodeVersion: string,
  { channel, timeoutMs, info, answered }: Injection,
): Promise<Omit<AttachedProcess, 'inspector'>> {
  checkVersion(nodeVersion);
  const look = (readsResource: boolean): Promise<ThreadDump> => {
    const parameters = evaluation(snapshotExpression({ readsResource }), nodeVersion);
    return lookAtThread({
      threadId: 0,
      threadName: 'main',
      ask: async () => {
        const snapshot = parseSnapshot(await asked.evaluate(parameters));
        if (snapshot) assertAnswers(info, snapshot);
        answered();
        return snapshot;
      },
      cpuMs: () => threadCpuMs(info.pid, info.pid),
      isReady: () => isThreadReady(info.pid, info.pid),
    });
  };
  const firstLook = await look(false);
  const isBlocked = staysInIteration(firstLook);
  // The request of a thread that is not blocked is not said: its resource is not read, and it is made no slower.
  const secondLook = isBlocked ? await look(true) : firstLook;
  const main = staysInIteration(secondLook) ? secondLook : firstLook;
  const source = readFileSync(fileURLToPath(new URL('./agent.cjs', import.meta.url)), 'utf8');
  const { config, connections } = channel;
  const wasStopped = asked.isStopped;
  const settings = { ...connections.address, config, isBlocked, answersAtStops: wasStopped };
  const parameters = evaluation(agentExpression(source, 'start', settings), nodeVersion);
  connections.expect(info.pid);
  // By one way alone: evaluated twice, it would say that it is watched already.
  const answering = wasStopped ? asked.evaluate(parameters) : client.call('Runtime.evaluate', parameters, timeoutMs);
  const evaluated = await answering.catch(notAgain);
  const answer = answerOf(evaluated);
  if (typeof answer === 'string') {
    const advice = answer === ATTACH_IS_WATCHED ? ' Its blocks are in the output of that one: end it first.' : '';
    throw new Refusal('a process that can be watched', answer, `It was left as it was.${advice}`);
  }
  const records = openRecords(info, answer);
  channel.onRecords(records, { pid: info.pid, innerPid: info.innerPid, isForeign: isForeign(info) });
  return { pid: info.pid, innerPid: info.innerPid, records, main, isBlocked, wasStopped };
}

/** The process may have evaluated it: asked again, it would say that it is watched already. */
function notAgain(error: unknown): never {
  throw error instanceof ConnectionClosed ? new Error(error.message, { cause: error }) : error;
}

function staysInIteration({ state, atLeastMs }: ThreadDump): boolean {
  return state !== 'idle' && atLeastMs >= BLOCKED_MS;
}

/** The descriptor of the file of records, or why the process is not watched. */
function answerOf(evaluated: unknown): number | string {
  const { value, description } = (evaluated as Evaluated | null)?.result ?? {};
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  if (typeof value === 'string') return value.slice(0, MAX_ANSWER);
  return `no answer (${typeof description === 'string' ? description.slice(0, MAX_ANSWER) : 'no result'})`;
}

interface Evaluated {
  readonly result?: { readonly value?: unknown; readonly description?: unknown };
}

function checkVersion(nodeVersion: string): void {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new Refusal(
    `Node.js ${OLDEST_NODE.join('.')} or newer`,
    `Node.js ${nodeVersion}`,
    'loopwatch dump works with older versions.',
  );
}
