import type { PoolWait } from '../model/thread-pool.js';
import type { Block, Instance, LagPoint, StartUp } from '../model/types.js';
import type { UnwatchedProcess } from '../model/unwatched.js';

/*
 * The channel between the instrumented processes and `loopwatch run`: lines of JSON in one file of a private directory.
 * Each line is appended synchronously, so it survives process.exit, a crash and SIGKILL. Any number of processes and
 * threads may append, and a slow or dead reader does not delay them. A pipe or a socket would lose data that is not sent
 * yet, or block the program.
 */

/** Environment variable with the channel's directory, for the program and all its children. */
export const ENV_RUN_DIRECTORY = 'LOOPWATCH_RUN_DIRECTORY';
export const CONFIG_FILE = 'config.json';
export const RECORDS_FILE = 'records.jsonl';
/** Mode of the file of records once a record could not be written. Before that, only its owner has permissions. */
export const MODE_RECORDS_LOST = 0o601;

/** Header of a request of the watchdog with the id of its process. */
export const HEADER_PROCESS = 'x-loopwatch-process';

export interface ChannelConfig {
  readonly thresholdMs: number;
  /** Start-up is reported as a block where it is long enough. */
  readonly countsStartUp: boolean;
}

export type ChannelRecord =
  | { readonly type: 'process'; readonly process: Instance }
  /** Instead of it: the process does not watch itself. */
  | { readonly type: 'unwatched'; readonly process: UnwatchedProcess }
  | { readonly type: 'block'; readonly block: Block }
  | { readonly type: 'startUp'; readonly startUp: StartUp }
  | { readonly type: 'lag'; readonly point: LagPoint }
  | { readonly type: 'threadPool'; readonly wait: PoolWait }
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

/**
 * With `loopwatch attach`: a socket in the same directory. Each process keeps a connection to it. When it ends, in
 * whatever way, the process removes all that was added to it.
 */
export const ATTACH_SOCKET = 'attach.sock';
/** The CLI sends it before it ends the connections: it is alive, and removes the directory itself. */
export const ATTACH_GOODBYE = 'bye';

/** What an attached process says by that connection: a line of JSON each. */
export type AttachMessage =
  /** The first message. */
  | { readonly type: 'hello'; readonly pid: number }
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
  readonly directory: string;
  /** The main thread is blocked: it is watched at once, from inside the block. */
  readonly isBlocked: boolean;
}
