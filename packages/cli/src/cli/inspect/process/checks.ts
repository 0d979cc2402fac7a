import { userInfo } from 'node:os';
import process from 'node:process';

import { platformKind } from '../../platform/kind.js';
import type { ListeningSocket } from '../../platform/platform.js';
import { portOf } from '../../platform/proc-text.js';
import { Refusal } from '../../platform/refusal.js';
import { containerAdvice } from './container.js';
import { checkLimits } from './limits.js';
import {
  assertProcessesShown,
  assertProcFileSystem,
  commandOf,
  environmentOf,
  isNode,
  namespaceOf,
  type ProcessInfo,
  readProcess,
} from './processes.js';
import { listeningIn, listeningOf, holderOf } from './sockets.js';
import { synchronousReadOf } from './synchronous-read.js';

const LIST = 'List your Node.js processes: loopwatch ps';

/** A process that may be asked, and how its inspector is reached. */
export interface InspectorTarget {
  readonly info: ProcessInfo;
  /** Where its inspector may listen already; empty: it must be opened by SIGUSR1. */
  readonly mayListenOn: readonly ListeningSocket[];
  /** Where it will listen after SIGUSR1; 0: a free port. */
  readonly port: number;
}

/**
 * Looks at the process before anything is done to it: SIGUSR1 ends a program that is no Node.js. Throws a `Refusal`
 * when it must not or cannot be asked.
 */
export function checkTarget(pid: number, command: 'attach' | 'dump'): InspectorTarget {
  if (command === 'attach') assertProcFileSystem();
  const info = readExisting(pid);
  if (pid === process.pid) throw new Refusal('another process', 'loopwatch itself', 'Give the id of your program.');
  checkOwner(info);
  checkState(info);
  checkAccess(info);
  if (!isNode(info)) {
    throw new Refusal(
      'a Node.js process',
      commandOf(info) === '' ? `the thread ${info.name} of the kernel` : info.executable || commandOf(info),
      `It gets no signal, because SIGUSR1 would end it. ${LIST}`,
    );
  }
  checkNamespace(info, command);
  checkLimits(info, command);
  const { nodeOptions, port, mayListenOn } = inspectorOf(info);
  if (mayListenOn.length === 0) {
    // Where handlers are not shown, `ps` shows the environment as one text: a flag counts wherever it stands.
    checkSignal(info, info.catchesSigusr1 === undefined ? environmentOf(pid).join(' ') : nodeOptions);
    checkRead(info);
    // Otherwise it has opened its inspector meanwhile, for another `loopwatch` perhaps.
    if (checkPort(info, port)) return { info, mayListenOn, port };
    return checkTarget(pid, command);
  }
  return { info, mayListenOn, port };
}

/** Reads a process. Throws a `Refusal` where the id is that of none, or of a thread. */
export function readExisting(pid: number): ProcessInfo {
  assertProcessesShown();
  const info = readProcess(pid);
  if (!info) throw new Refusal(`a process with the id ${pid}`, 'none', LIST);
  const { processId } = info;
  if (processId === pid) return info;
  throw new Refusal('the id of a process', `that of a thread of process ${processId}`, `Give the id ${processId}.`);
}

/** Whether the inspector of the process may be open already. */
export function mayBeOpen(info: ProcessInfo): boolean {
  return inspectorOf(info).mayListenOn.length > 0;
}

function inspectorOf(
  info: ProcessInfo,
): Pick<InspectorTarget, 'port' | 'mayListenOn'> & { nodeOptions: string | undefined } {
  const environment = environmentOf(info.pid);
  const nodeOptions = environment.find((variable) => variable.startsWith('NODE_OPTIONS='));
  const port = portOf(info.args, environment, readProcess(info.parentPid)?.args ?? []);
  const isStartedOpen = [...info.args, ...(nodeOptions ?? '').split(/[\s=]+/)].some((arg) =>
    /^--inspect(-brk|-wait)?(=|$)/.test(arg),
  );
  const mayListenOn = listeningOf(info.pid).filter((socket) => socket.port === port || (isStartedOpen && port === 0));
  return { nodeOptions, port, mayListenOn };
}

function checkOwner({ pid, userId }: ProcessInfo): void {
  const own = process.geteuid?.();
  // Windows shows no user; there, what belongs to another one cannot be opened.
  if (own === undefined || own === 0 || own === userId) return;
  throw new Refusal(
    `a process of ${userText(own)}`,
    `one of uid ${userId}`,
    `Run it as that user: sudo -u '#${userId}' loopwatch … ${pid}`,
  );
}

function checkState({ pid, state }: ProcessInfo): void {
  if (state === 'Z')
    throw new Refusal('a running process', 'one that has ended', 'Nothing can be read of it any more.');
  if (state === 'T' || state === 't') {
    throw new Refusal('a running process', 'one that is stopped', `Let it continue first: kill -CONT ${pid}`);
  }
}

/**
 * A process that has changed its user, as a server that root has started, is shown to root alone: nothing is known of its
 * binary, its descriptors and its environment. To the root of a container, which has not all rights of root, the kernel
 * shows no process of another user.
 */
function checkAccess({ executable, args }: ProcessInfo): void {
  // A thread of the kernel has no binary either, nor arguments.
  if (platformKind() !== 'proc' || executable !== '' || args.length === 0) return;
  const isRoot = process.geteuid?.() === 0;
  throw new Refusal(
    'a process that this user may look into',
    isRoot
      ? 'one that the kernel does not show to this root, such as one of another user where SYS_PTRACE is missing'
      : 'one that the kernel shows to root alone, such as one that has changed its user',
    `It gets no signal, because it may be no Node.js process. ${isRoot ? 'Run it as the user of the process, or in a container with --cap-add=SYS_PTRACE.' : 'Run it as root.'}`,
  );
}

/** A container may run with an id that has no name, as OpenShift's do. */
function userText(userId: number | undefined): string {
  try {
    return `the user ${userInfo().username} (uid ${userId})`;
  } catch {
    return `uid ${userId}`;
  }
}

/** The inspector listens in the network namespace of the process, on its 127.0.0.1. */
function checkNamespace(info: ProcessInfo, command: 'attach' | 'dump'): void {
  const [own, others] = [namespaceOf('self', 'net'), namespaceOf(info.pid, 'net')];
  if (own === others || others === undefined) return;
  throw new Refusal(
    'a process in this network namespace',
    'one in a container with a network of its own',
    containerAdvice(info, command),
  );
}

/** Node.js takes the signal from a moment after its start on. */
const STARTING_MS = 3000;

function checkSignal({ args, catchesSigusr1, ageMs }: ProcessInfo, nodeOptions = ''): void {
  const use = otherUseOfSignal(args, nodeOptions);
  if (use !== undefined) {
    throw new Refusal(
      'a process that opens its inspector on SIGUSR1',
      `one that was started with ${use}, and does something else then`,
      'It gets no signal. Start it with another signal there, with --inspect, or with: loopwatch run',
    );
  }
  if (catchesSigusr1 === true) return;
  const reason = [...args, ...nodeOptions.split(/[\s=]+/)].find((arg) =>
    /^--(disable-sigusr1|(experimental-)?permission)$/.test(arg),
  );
  // A system that shows no handlers: Node.js has one, unless a flag says otherwise or it is only starting.
  if (catchesSigusr1 === undefined && reason === undefined && ageMs >= STARTING_MS) return;
  const isStarting = reason === undefined && ageMs < STARTING_MS;
  const remedy = `Start it ${reason === undefined ? '' : 'without that flag, '}with --inspect, or with: loopwatch run`;
  throw new Refusal(
    'a process that opens its inspector on SIGUSR1',
    reason === undefined ? 'one without a handler for that signal' : `one that was started with ${reason}`,
    `It gets no signal, because ${reason === undefined ? 'SIGUSR1 would end it' : 'Node.js does not take SIGUSR1 then'}. ${isStarting ? 'It may still be starting: try again in some seconds.' : remedy}`,
    { isTemporary: isStarting },
  );
}

/** The option by which Node.js itself writes a heap snapshot or a report on SIGUSR1, which can take many seconds. */
function otherUseOfSignal(args: readonly string[], nodeOptions: string): string | undefined {
  const words = [...args, ...nodeOptions.split(/\s+/)].join(' ');
  const [, option] = /(?:^|[\s=])(--(?:heapsnapshot|report)-signal[= ]SIGUSR1)(?=\s|$)/.exec(words) ?? [];
  // Without the other option, Node.js writes no report on any signal.
  return option?.startsWith('--report') && !words.includes('--report-on-signal') ? undefined : option;
}

/** A signal ends a synchronous read with an error, which the program may not expect. */
function checkRead({ pid, state }: ProcessInfo): void {
  const source = synchronousReadOf(pid, state);
  if (source === undefined) return;
  throw new Refusal(
    'a main thread that a signal does not disturb',
    `one that waits in a synchronous read of ${source}`,
    'It gets no SIGUSR1, because the read would fail with EINTR. Try again when the read has returned, or start the ' +
      'program with --inspect, or with: loopwatch run',
    { isTemporary: true },
  );
}

/**
 * Checks that no other process listens on the port, which all processes open their inspector on: only one at a time can.
 * Returns whether it is free; false where the process listens there itself.
 */
export function checkPort({ pid }: Pick<ProcessInfo, 'pid'>, port: number): boolean {
  const taken = port === 0 ? undefined : listeningIn(pid).find((socket) => socket.port === port);
  if (!taken) return true;
  const holder = holderOf(taken.inode);
  if (holder?.pid === pid) return false;
  throw new Refusal(
    `port ${port} to be free for the inspector of process ${pid}`,
    holder ? `it is taken by process ${holder.pid} (${commandOf(holder)})` : 'it is taken by a process of another user',
    'Wait until that process has closed it, or end that process. A process can be given another port: --inspect-port.',
    { isTemporary: true },
  );
}
