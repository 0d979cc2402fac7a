import { entries, read } from './proc-files.js';
import { parseDescriptorLimit } from './proc-text.js';
import { threadIdsOf } from './processes.js';
import { Refusal } from './refusal.js';

/** What Node.js opens for its inspector, a connection and a session, with some to spare for the program. */
const NEEDED_FOR_INSPECTOR = 16;
/** What the agent opens in the main thread and in its watchdog, and in each worker thread. */
const NEEDED_FOR_AGENT = 16;
const NEEDED_IN_THREAD = 2;

/**
 * Throws where the process may not open as many descriptors as are needed: Node.js aborts when it cannot open those of
 * its inspector's event loop.
 */
export function checkDescriptors(pid: number, command: 'attach' | 'dump'): void {
  const limit = parseDescriptorLimit(read(`${pid}/limits`) ?? '');
  if (limit === undefined) return;
  // A limit that was lowered later leaves those that were open above it.
  const used = entries(`${pid}/fd`).filter((descriptor) => Number(descriptor) < limit).length;
  const ofAgent = command === 'dump' ? 0 : NEEDED_FOR_AGENT + NEEDED_IN_THREAD * threadIdsOf(pid).length;
  const needed = NEEDED_FOR_INSPECTOR + ofAgent;
  if (limit - used >= needed) return;
  throw new Refusal(
    `a process that can open ${needed} more descriptors`,
    `one that has ${used} of ${limit} open`,
    'It gets no signal: Node.js ends when it cannot open its inspector for that reason. Look what it has open: ' +
      `ls -l /proc/${pid}/fd. Or raise its limit: prlimit --pid ${pid} --nofile=${limit + needed}`,
    { isTemporary: true },
  );
}
