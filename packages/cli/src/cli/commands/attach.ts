import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ChannelConfig } from '../../channel/contract.js';
import { createRecordReader } from '../../channel/reader.js';
import { renameInstance } from '../../channel/rename-instance.js';
import { isOfApplication } from '../../model/processes/dump.js';
import { formatMs, plural } from '../../model/text/format.js';
import { formatPlace } from '../../model/text/place.js';
import { prepareFiles } from '../files/prepare-files.js';
import { type AttachedProcess, attachToInspector, attachToProcess, type RecordsOf } from '../inspect/attach/attach.js';
import { AttachConnections, type Begun } from '../inspect/attach/attach-connections.js';
import { attachToGroup } from '../inspect/attach/attach-group.js';
import { readExisting } from '../inspect/process/checks.js';
import { STOPPED_TEXT } from '../inspect/inspector/stop-and-ask.js';
import { assertProcFileSystem, commandOf, type ProcessInfo, readProcess } from '../inspect/process/processes.js';
import { Refusal } from '../platform/refusal.js';
import { isStopped } from '../program/is-alive.js';
import { printableLines } from '../terminal/line.js';
import { PREFIX, say } from '../terminal/output.js';
import { watchAndConclude } from './conclude.js';
import { effectiveThreshold } from './fail-on.js';
import { stopSignal } from './stop-signal.js';
import { channelConfigOf, type SessionOptions, type Watched, type WatchSession } from './watched.js';

export interface AttachCommandOptions extends SessionOptions {
  readonly for?: number;
  readonly timeout: number;
  readonly inspect?: string;
  readonly all?: true;
}

/** Functions that are named of a block that lasts: the one on top may be a small helper of the one that loops. */
const MAX_PLACES = 3;

const INSPECTOR_HANGS_TEXT = 'Its inspector stays open until its event loop iterates again.';

/** Watches processes that run already, until `--for` has passed, a signal stops it, or the processes end. */
export async function attach(pid: number | undefined, options: AttachCommandOptions): Promise<void> {
  checkArguments(pid, options);
  assertProcFileSystem();
  const info = pid === undefined ? undefined : readExisting(pid);
  const files = await prepareFiles(options);
  const effective = { ...options, threshold: effectiveThreshold(options.threshold, options.failOn) };
  await watchAndConclude(runningProcesses(pid, info, effective), files, effective);
}

function runningProcesses(
  pid: number | undefined,
  info: ProcessInfo | undefined,
  options: AttachCommandOptions,
): Watched {
  const reader = createRecordReader();
  return {
    command: info ? wordsOf(info) : [`--inspect ${inspectorHost(options.inspect)}`],
    isAttached: true,
    reader,
    recordsPlace: 'a file in the temporary directory of the process',
    // It may have another id here: it is, as far as is known.
    isAlive: () => true,
    isStopped: (instance) => isStopped(Number(instance)),
    async watch(session) {
      let hasBegun = false;
      const onRecords = (descriptor: number, { pid: id, innerPid, isForeign }: RecordsOf): void => {
        const rename = renameInstance(String(innerPid), String(id), `pid ${nameOf(id, innerPid)}`);
        reader.add(descriptor, id === innerPid ? undefined : rename);
        if (isForeign) session.leaveSourcesAlone();
        if (!hasBegun) session.begin();
        hasBegun = true;
      };
      const onRecordsEnd = (descriptor: number): void => {
        reader.finish(descriptor);
      };
      await watchProcesses(pid, { session, config: channelConfigOf(options), onRecords, onRecordsEnd }, options);
      return { outcome: { code: 0 }, exit: { code: 0 } };
    },
  };
}

/** The kernel shows no command line of some processes. */
function wordsOf(info: ProcessInfo): readonly string[] {
  return info.args.length > 0 ? info.args : [info.executable];
}

/** Its path is the key to the inspector. */
function inspectorHost(url = ''): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

function checkArguments(pid: number | undefined, { inspect, all }: AttachCommandOptions): void {
  if ((pid === undefined) === (inspect === undefined)) {
    throw new Refusal('the id of a process or --inspect', pid === undefined ? 'neither' : 'both', 'Give one of them.');
  }
  if (all && inspect !== undefined) {
    throw new Refusal('the id of a process with --all', '--inspect', 'An inspector leads to one process.');
  }
}

interface Records {
  readonly session: WatchSession;
  readonly config: ChannelConfig;
  /** Takes the file that a process appends its records to from now on. */
  readonly onRecords: (descriptor: number, ofProcess: RecordsOf) => void;
  /** The process has ended, or has left. */
  readonly onRecordsEnd: (descriptor: number) => void;
}

async function watchProcesses(
  pid: number | undefined,
  { session, config, onRecords, onRecordsEnd }: Records,
  options: AttachCommandOptions,
): Promise<void> {
  const { timeout, quiet } = options;
  const inform = (text: string): void => {
    if (!quiet) say(printableLines(text));
  };
  // A signal that arrives during the attach takes effect after it: the inspector must not stay open.
  const stop = stopSignal(process.stderr);
  const processes = new Map<number, AttachedProcess>();
  const connections = await AttachConnections.listen({
    onWorkerProblem: (id, threadId, problem) => {
      inform(`Worker thread ${threadId} of process ${nameAmong(id, processes)} is not watched: ${problem}`);
    },
    onProcessEnd: (id, exitCode) => {
      // With many restarts, the descriptors of this process would run out.
      const attached = processes.get(id);
      if (attached) onRecordsEnd(attached.records);
      inform(
        `Process ${nameAmong(id, processes)} has ${exitCode === undefined ? 'ended by a signal or a crash' : `exited with code ${exitCode}`}.`,
      );
    },
  });
  const channel = { connections, config, onRecords };
  const attachOptions = { channel, timeoutMs: timeout, onWait: inform };
  const begin = async (attached: AttachedProcess): Promise<void> => {
    processes.set(attached.pid, attached);
    try {
      const begun = await connections.begun(attached.pid, attached.isBlocked, () => hasEnded(attached));
      inform(welcome(attached, begun, options));
    } catch (error) {
      if (attached.inspector === 'hangs' && !hasEnded(attached)) inform(INSPECTOR_HANGS_TEXT);
      throw error;
    }
  };
  const forMs = options.for;
  /** Resolves at a signal, or when `--for` has passed since this call: the time to attach does not count. */
  const ends = (): Promise<unknown> =>
    // Without `ref: false`, a command that has been stopped would wait for the rest of the time.
    Promise.race(forMs === undefined ? [stop] : [stop, sleep(forMs, undefined, { ref: false })]);
  try {
    if (pid !== undefined && options.all) {
      await attachToGroup(pid, {
        ...attachOptions,
        stop,
        onAllAttached: ends,
        onAttached: begin,
        onRefused: (refused, reason) => {
          say(printableLines(`Process ${refused.pid} (${commandOf(refused)}) is not watched: ${reason}`));
        },
      });
    } else {
      const attached =
        pid === undefined
          ? await attachToInspector(options.inspect ?? '', attachOptions)
          : await attachToProcess(pid, attachOptions);
      await begin(attached);
      await Promise.race([ends(), connections.ended()]);
    }
  } finally {
    const isBlocked = (id: number): boolean => {
      const attached = processes.get(id);
      return attached !== undefined && session.isMainBlocked(attached.pid);
    };
    for (const id of await connections.end(isBlocked)) inform(stillBlocked(id, processes));
  }
}

/** Its block is known as far as it goes. */
function stillBlocked(pid: number, processes: ReadonlyMap<number, AttachedProcess>): string {
  return (
    `Process ${nameAmong(pid, processes)} is still blocked, or stopped. The summary has a block that lasts with its length ` +
    `so far. Where it is now: loopwatch dump ${pid}`
  );
}

function nameAmong(pid: number, processes: ReadonlyMap<number, AttachedProcess>): string {
  return nameOf(pid, processes.get(pid)?.innerPid);
}

/** The id that the user knows, and in a container that of the container. */
function nameOf(pid: number, innerPid = pid): string {
  return pid === innerPid ? String(pid) : `${pid} (${innerPid} in its container)`;
}

function hasEnded({ pid }: AttachedProcess): boolean {
  return (readProcess(pid)?.state ?? 'Z') === 'Z';
}

function welcome(attached: AttachedProcess, begun: Begun, { for: forMs, threshold }: AttachCommandOptions): string {
  const { main, inspector, isBlocked, wasStopped } = attached;
  const until = forMs === undefined ? 'until Ctrl+C' : `for ${formatMs(forMs)}`;
  const lines = [
    `Attached to process ${nameOf(attached.pid, attached.innerPid)}: watches its main thread${workersText(begun)} ${until}, for blocks of at least ${threshold} ms.`,
    ...(isBlocked ? [blockedNow(main)] : []),
    ...(begun.isLate ? [lateText(attached.pid)] : []),
    ...(wasStopped ? [STOPPED_TEXT] : []),
    ...(inspector === 'was_open' ? ['Its inspector was open before, and stays open.'] : []),
    ...(inspector === 'hangs' ? [INSPECTOR_HANGS_TEXT] : []),
  ];
  return lines.join(`\n${PREFIX}`);
}

/** Of a block that has begun after the process was looked at, and before its instrumentation has started. */
function lateText(pid: number): string {
  return (
    'Its main thread has not answered since: it is in a block that has begun meanwhile, which is not reported. It is ' +
    `watched from when its event loop iterates again. Where it is now: loopwatch dump ${pid}`
  );
}

function workersText({ workers, pending }: Begun): string {
  if (pending > 0) return ` and, so far, ${workers} of ${plural(workers + pending, 'worker thread')}`;
  return workers === 0 ? '' : ` and ${plural(workers, 'worker thread')}`;
}

function blockedNow({ stack, mayBePaused }: AttachedProcess['main']): string {
  const frames = stack.some(isOfApplication) ? stack.filter(isOfApplication) : stack;
  const places = frames
    .slice(0, MAX_PLACES)
    .map((frame) => `${frame.functionName || '<anonymous>'} ${formatPlace(frame, process.cwd())}`);
  const where = places.length === 0 ? '' : `, in ${places.join(', called by ')}`;
  const how = mayBePaused ? 'is blocked, or paused by a debugger' : 'is blocked';
  return `Its main thread ${how}${where}. Of that block, the time from now on counts.`;
}
