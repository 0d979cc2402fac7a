import type { ChannelConfig, ChannelRecord } from '../../channel/contract.js';
import type { RecordReader } from '../../channel/reader.js';
import type { Recording } from '../../model/recording/recording.js';
import type { OutputPaths } from '../files/prepare-files.js';
import type { Outcome } from '../program/outcome.js';
import type { ProgramSource } from '../program/source.js';
import type { OngoingBlocks } from '../store/ongoing-blocks.js';
import type { Store } from '../store/store.js';

/** The options that `run` and `attach` share. */
export interface SessionOptions extends OutputPaths {
  readonly version: string;
  /** ms */
  readonly threshold: number;
  /** ms */
  readonly failOn?: number;
  readonly startup?: true;
  readonly withArguments?: true;
  readonly quiet?: true;
  readonly color: boolean;
  readonly open?: true;
}

/** What is watched: a program that `run` starts, or processes to which `attach` goes. */
export interface Watched {
  /** The words of its command line, or of what leads to it. */
  readonly command: readonly string[];
  /** The processes ran already. */
  readonly isAttached: boolean;
  readonly reader: RecordReader;
  /** Where the records are, for a message. */
  readonly recordsPlace: string;
  /** What is known of its version and its commit. */
  readonly source?: Promise<ProgramSource> | undefined;
  isAlive(instance: string): boolean;
  isStopped(instance: string): boolean;
  /** Is called with each record. */
  onRecord?(record: ChannelRecord): void;
  /** Is called after each reading of the records. */
  onRead?(ongoing: OngoingBlocks): void;
  /** Resolves when there is nothing left to watch. */
  watch(session: WatchSession): Promise<End>;
}

/** What a watch needs of the session that takes in its records. */
export interface WatchSession {
  readonly store: Store;
  /** The summary covers the time from now on. */
  begin(): void;
  /**
   * Reads no source: a process has other rights than this one. The paths that it names may lead to files that it could not
   * read, or in a container to other ones.
   */
  leaveSourcesAlone(): void;
  /** Whether the main thread of a process is in a block, by its id here. */
  isMainBlocked(pid: number): boolean;
}

export interface End {
  readonly outcome: Outcome;
  /** How it is recorded. */
  readonly exit: Recording['exit'];
}

/** The settings for the instrumentation of the watched processes. */
export function channelConfigOf({ threshold, startup, withArguments }: SessionOptions): ChannelConfig {
  return {
    thresholdMs: threshold,
    countsStartUp: startup === true,
    withArguments: withArguments === true,
  };
}
