import { Refusal } from '../../platform/refusal.js';
import type { ProcessInfo } from '../process/processes.js';
import type { Snapshot } from './snapshot.js';

/**
 * Throws where another process answers than the one that is meant, or where the one that answers has
 * not started.
 */
export function assertAnswers(info: Pick<ProcessInfo, 'innerPid'>, { pid }: Pick<Snapshot, 'pid'>): void {
  // Node.js gives its `process` an id when a debugger lets it start.
  if (pid === undefined) {
    throw new Refusal(
      'a process that has started',
      'one that waits for a debugger, as with --inspect-brk or --inspect-wait',
      'Nothing was done to it. Let a debugger start it first.',
    );
  }
  if (pid === info.innerPid) return;
  throw new Refusal(
    `process ${info.innerPid} to answer`,
    `process ${pid} answers on that port`,
    'Nothing was done to it. Try again when its inspector is closed.',
  );
}
