import { closeSync, constants, fstatSync, openSync } from 'node:fs';

import { Refusal } from '../../platform/refusal.js';
import { assertSameProcess, type ProcessInfo } from '../process/processes.js';

/** `O_PATH` of Linux, which Node.js does not name: the descriptor leads to a file and does not open it. */
const O_PATH = 0o10000000;
const { O_NONBLOCK, O_RDONLY } = constants;

/**
 * Opens for reading what the agent holds open as its file of records. This process may have more rights than the other
 * one, so no path that the other one could change is followed: `/proc` leads from its descriptor to the file. What that
 * is, is known before it is opened; opening a device or a pipe could do something.
 */
export function openRecords(info: ProcessInfo, descriptor: number): number {
  const found = openSync(`/proc/${info.pid}/fd/${descriptor}`, O_PATH);
  try {
    assertSameProcess(info);
    const stat = fstatSync(found);
    if (!stat.isFile() || stat.uid !== info.userId) {
      throw new Refusal(
        `descriptor ${descriptor} of process ${info.pid} to be a file of its user`,
        stat.isFile() ? `one of uid ${stat.uid}` : 'something else',
        'Nothing was read from it.',
      );
    }
    // Does not wait for a lease that the process may hold.
    return openSync(`/proc/self/fd/${found}`, O_RDONLY | O_NONBLOCK);
  } finally {
    closeSync(found);
  }
}
