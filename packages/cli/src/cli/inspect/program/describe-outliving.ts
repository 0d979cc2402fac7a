import { realpathSync } from 'node:fs';

import type { UnwatchedProcess } from '../../../model/processes/unwatched.js';
import { commandLineOf, commandOf, isNode, readProcess, workingDirectoryOf } from '../process/processes.js';
import { mayBePackageManager } from './unwatched-reason.js';

/** Those of the processes that run Node.js and were watched: package managers are not. */
export function describeOutliving(pids: readonly number[], withArguments: boolean): UnwatchedProcess[] {
  return pids
    .flatMap((pid) => readProcess(pid) ?? [])
    .filter(
      (info) => isNode(info) && !mayBePackageManager(info.args, workingDirectoryOf(info.pid) ?? '/', realpathSync),
    )
    .map((info) => ({
      pid: info.pid,
      command: withArguments ? commandLineOf(info) : commandOf(info),
      reason: 'outlives_program',
    }));
}
