import { realpathSync } from 'node:fs';
import process from 'node:process';

import type { UnwatchedProcess } from '../../../model/processes/unwatched.js';
import { isNodeBinaryName } from '../../platform/proc-text.js';
import { CLOSER } from '../inspector/start-closer.js';
import { descendantIdsOf } from '../process/descendants.js';
import {
  commandLineOf,
  commandOf,
  environmentOf,
  isNode,
  type ProcessInfo,
  readProcess,
  workingDirectoryOf,
} from '../process/processes.js';
import { mayBePackageManager, unwatchedReason } from './unwatched-reason.js';

/** A process that ends sooner may be missed. */
const INTERVAL_MS = 400;
/** Share of a CPU that looking may use: with very many processes, it is done less often. */
const MAX_SHARE = 0.01;
const MAX_FOUND = 1_000;

export interface UnwatchedOptions {
  /** The file that watched processes load. */
  readonly preload: string;
  /** The directory of the channel. */
  readonly directory: string;
  readonly withArguments: boolean;
}

/**
 * Looks for Node.js processes among the descendants of this process that were started without the preload, on Linux.
 * Elsewhere there is no `/proc`, and none is found. Returns a function that ends it and returns what was found.
 */
export function lookForUnwatched(options: UnwatchedOptions): () => UnwatchedProcess[] {
  const found = new Map<string, UnwatchedProcess>();
  /** Seen once: while a process starts or ends, `/proc` may show only a part of it. */
  let candidates = new Map<string, UnwatchedProcess>();
  const nodeFiles = new Map<string, boolean>();

  const look = (): void => {
    const before = candidates;
    candidates = new Map();
    for (const pid of descendantIdsOf(process.pid)) {
      const info = readProcess(pid);
      if (info === undefined || !mayBeNode(info)) continue;
      const key = `${pid} ${info.startedMs}`;
      if (found.has(key)) continue;
      const unwatched = judge(info, options);
      if (unwatched === undefined) continue;
      candidates.set(key, unwatched);
      const isSame = before.get(key)?.command === unwatched.command;
      if (isSame && found.size < MAX_FOUND && isKnownNode(info, nodeFiles)) found.set(key, unwatched);
    }
  };
  const lookAgain = (): void => {
    const before = process.cpuUsage();
    look();
    const { user, system } = process.cpuUsage(before);
    timer = setTimeout(lookAgain, Math.max(INTERVAL_MS, (user + system) / 1000 / MAX_SHARE));
  };
  let timer = setTimeout(lookAgain, INTERVAL_MS);
  return () => {
    clearTimeout(timer);
    return [...found.values()];
  };
}

function mayBeNode({ executable, state, hasExecuted, args }: ProcessInfo): boolean {
  return hasExecuted && state !== 'Z' && isNodeBinaryName(executable) && args[1] !== CLOSER;
}

/** Reads each binary once: it has about 100 MB. */
function isKnownNode(info: ProcessInfo, known: Map<string, boolean>): boolean {
  const is = known.get(info.executable) ?? isNode(info);
  known.set(info.executable, is);
  return is;
}

function judge(info: ProcessInfo, options: UnwatchedOptions): UnwatchedProcess | undefined {
  const { pid, args } = info;
  const reason = unwatchedReason(environmentOf(pid), options);
  // Who may not read the one may not read the other: then the environment only seems to be empty.
  const workingDirectory = workingDirectoryOf(pid);
  if (reason === undefined || workingDirectory === undefined) return undefined;
  if (mayBePackageManager(args, workingDirectory, realpathSync)) return undefined;
  return { pid, command: options.withArguments ? commandLineOf(info) : commandOf(info), reason };
}
