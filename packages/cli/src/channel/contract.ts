import type { BusyPeriod } from '../model/busy-time/busy.js';
import type { PoolWait } from '../model/delays/thread-pool.js';
import type { UnwatchedProcess } from '../model/processes/unwatched.js';
import type { WatchProblem } from '../model/processes/watch-problem.js';
import type { Block, Instance, LagPoint, StartUp } from '../model/types.js';

/*
 * The channel between the instrumented processes and the CLI: lines of JSON in a file. Each line is appended
 * synchronously, so it survives process.exit, a crash and SIGKILL. Any number of processes and threads may append, and a
 * slow or dead reader does not delay them. A pipe or a socket would lose data that is not sent yet, or block the program.
 *
 * `loopwatch run` creates the file, in a private directory. For `loopwatch attach`, each process creates its own, which
 * has no name: the CLI may have more rights than the process, and so must follow no path that the process can change.
 */

/** Environment variable with the channel's directory, for the program and all its children. */
export const ENV_RUN_DIRECTORY = 'LOOPWATCH_RUN_DIRECTORY';
export const CONFIG_FILE = 'config.json';
export const RECORDS_FILE = 'records.jsonl';
/** Mode of the file of records once a record could not be written. Before that, only its owner has permissions. */
export const MODE_RECORDS_LOST = 0o601;
/**
 * Its mode when `loopwatch run` has ended: what goes on then is no longer watched. Compared as a whole: some file systems
 * show all permissions for each file.
 */
export const MODE_ENDED = 0o610;

/** Header of a request of the watchdog with the id of its process. */
export const HEADER_PROCESS = 'x-loopwatch-process';

export interface ChannelConfig {
  readonly thresholdMs: number;
  /** Start-up is reported as a block where it is long enough. */
  readonly countsStartUp: boolean;
  /** A process whose main thread is blocked for too long is ended. */
  readonly endsBlocked?: boolean;
  /** The arguments of the processes are recorded, too. */
  readonly withArguments: boolean;
}

export type ChannelRecord =
  | { readonly type: 'process'; readonly process: Instance }
  /** Instead of it: the process does not watch itself. */
  | { readonly type: 'unwatched'; readonly process: UnwatchedProcess }
  /** What cannot be done in the process, such as a watchdog that cannot start. */
  | { readonly type: 'problem'; readonly problem: WatchProblem }
  /** A worker thread runs, as the thread says that has started it. */
  | { readonly type: 'workerStarted'; readonly instance: string; readonly threadId: number }
  /** A worker thread watches itself, as it says before anything of the program runs in it. */
  | { readonly type: 'workerWatched'; readonly instance: string; readonly threadId: number }
  | { readonly type: 'block'; readonly block: Block }
  | { readonly type: 'startUp'; readonly startUp: StartUp }
  | { readonly type: 'lag'; readonly point: LagPoint }
  | { readonly type: 'threadPool'; readonly wait: PoolWait }
  | { readonly type: 'busy'; readonly period: BusyPeriod }
  /** The thread exits, or is not watched any more: all of its blocks have been reported. */
  | { readonly type: 'end'; readonly instance: string; readonly threadId: number }
  | WatchdogRequest;

/**
 * What the watchdog thread of a process appends while a block lasts, in OTLP/JSON: the block so far, and its length. Its
 * line has no type, which the reader adds.
 */
export interface WatchdogRequest {
  readonly type: 'request';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What an attached process says by its connection to the CLI: a line of JSON each. */
export type AttachMessage =
  /** The main thread is watched, and of the worker threads that ran before, as many as have answered. */
  | ({ readonly type: 'ready' } & WorkerCount)
  | { readonly type: 'workerProblem'; readonly threadId: number; readonly problem: string }
  | { readonly type: 'exit'; readonly code: number };

/** What `attach` says of a process that it cannot watch because of another one. */
export const ATTACH_IS_WATCHED = 'one that another loopwatch watches';

/** Worker threads that are watched, and those that have not answered so far. */
export interface WorkerCount {
  readonly workers: number;
  readonly pending: number;
}

/** What the agent is given when it starts. */
export interface AttachOptions {
  /**
   * Port of the CLI on 127.0.0.1. The process keeps a connection to it, and removes all that was added to it when that
   * connection ends, in whatever way.
   */
  readonly port: number;
  /** What the CLI says first: after its end, another program may listen on that port. */
  readonly greeting: string;
  readonly config: ChannelConfig;
  /** The main thread is blocked: it is watched at once, from inside the block. */
  readonly isBlocked: boolean;
  /** V8 evaluates nothing in an interrupt: the agent itself is evaluated in a thread that its debugger has stopped. */
  readonly answersAtStops: boolean;
}

/** What the agent is given in a worker thread: where the main thread has opened the file of records, too. */
export interface AttachWorkerOptions extends AttachOptions {
  readonly records: RecordsFile;
}

/** A file without a name that a process holds open. */
export interface RecordsFile {
  readonly descriptor: number;
  /** Of the inode. Another file may get the same descriptor later. */
  readonly inode: string;
}
