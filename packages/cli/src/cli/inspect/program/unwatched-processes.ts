import { realpathSync } from 'node:fs';
import process from 'node:process';

import type { UnwatchedProcess } from '../../../model/processes/unwatched.js';
import { CLOSER } from '../inspector/closer-path.js';
import { descendantIdsOf } from '../process/descendants.js';
import {
  commandLineOf,
  commandOf,
  environmentOf,
  isNode,
  mayBeNode,
  type ProcessInfo,
  readProcess,
  workingDirectoryOf,
} from '../process/processes.js';
import { mayBePackageManager, unwatchedReason } from './unwatched-reason.js';

const MAX_FOUND = 1_000;

export interface UnwatchedOptions {
  /** The file that watched processes load. */
  readonly preload: string;
  /** The directory of the channel. */
  readonly directory: string;
  readonly withArguments: boolean;
}

/** Looks for Node.js processes among the descendants of this process that were started without the preload. */
export class UnwatchedProcesses {
  readonly #options: UnwatchedOptions;
  readonly #found = new Map<string, UnwatchedProcess>();
  /** Seen once: while a process starts or ends, `/proc` may show only a part of it. */
  #candidates = new Map<string, UnwatchedProcess>();
  readonly #nodeFiles = new Map<string, boolean>();

  constructor(options: UnwatchedOptions) {
    this.#options = options;
  }

  get found(): UnwatchedProcess[] {
    return [...this.#found.values()];
  }

  look(): void {
    const before = this.#candidates;
    this.#candidates = new Map();
    for (const pid of descendantIdsOf(process.pid)) {
      const info = readProcess(pid);
      if (info === undefined || !isCandidate(info)) continue;
      const key = `${pid} ${info.startedMs}`;
      if (this.#found.has(key)) continue;
      const unwatched = judge(info, this.#options);
      if (unwatched === undefined) continue;
      this.#candidates.set(key, unwatched);
      const isSame = before.get(key)?.command === unwatched.command;
      const mayBeAdded = isSame && this.#found.size < MAX_FOUND;
      if (mayBeAdded && isKnownNode(info, this.#nodeFiles)) this.#found.set(key, unwatched);
    }
  }
}

function isCandidate(info: ProcessInfo): boolean {
  return info.hasExecuted && info.state !== 'Z' && info.args[1] !== CLOSER && mayBeNode(info);
}

/** Reads each binary once: it has about 100 MB. */
function isKnownNode(info: ProcessInfo, known: Map<string, boolean>): boolean {
  const is = known.get(info.executable) ?? isNode(info);
  known.set(info.executable, is);
  return is;
}

function judge(info: ProcessInfo, options: UnwatchedOptions): UnwatchedProcess | undefined {
  const { pid, args, userId } = info;
  const isOfOtherUser = userId !== undefined && userId !== process.geteuid?.();
  const reason = unwatchedReason(environmentOf(pid), options, isOfOtherUser);
  // Who may not read the one may not read the other: then the environment only seems to be empty.
  const workingDirectory = workingDirectoryOf(pid);
  if (reason === undefined || workingDirectory === undefined) return undefined;
  if (mayBePackageManager(args, workingDirectory, realpathSync)) return undefined;
  return { pid, command: options.withArguments ? commandLineOf(info) : commandOf(info), reason };
}
