import type { Block, Instance, LagPoint } from '../model/types.js';

/*
 * How the instrumented processes tell `loopwatch run`: lines of JSON, appended synchronously to one file in a private
 * directory. What is written stays there whatever becomes of the writer (process.exit, a crash, SIGKILL), any number of
 * processes and threads may append, and a reader that falls behind or dies holds nobody up. A pipe or socket would lose
 * what was not sent yet, or block the program.
 */

/** Directory of the channel, in the environment of the program and of all its children. */
export const ENV_RUN_DIRECTORY = 'LOOPWATCH_RUN_DIRECTORY';
export const CONFIG_FILE = 'config.json';
export const RECORDS_FILE = 'records.jsonl';

/** Header of a hang report: the process it comes from. */
export const HEADER_PROCESS = 'x-loopwatch-process';

export interface ChannelConfig {
  readonly thresholdMs: number;
  /** Base URL of the receiver of hang reports. */
  readonly hangUrl: string;
}

export type ChannelRecord =
  | { readonly type: 'process'; readonly process: Instance }
  | { readonly type: 'block'; readonly block: Block }
  | { readonly type: 'lag'; readonly point: LagPoint };
