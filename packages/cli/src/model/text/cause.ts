import type { Cause } from '../types.js';

export const CAUSE_TEXT: Readonly<Record<Cause, string>> = {
  javascript: 'JavaScript',
  native: 'Native call',
  gc: 'Garbage collection',
  waiting: 'Waiting',
  cpu_starved: 'CPU starved',
  unknown: 'Unknown',
};

/** Explanation of each cause, for a first-time reader. */
export const CAUSE_EXPLAINED: Readonly<Record<Cause, string>> = {
  javascript: 'The thread ran JavaScript.',
  native: 'The thread ran a native call that cannot be interrupted.',
  gc: 'The thread collected garbage for most of the block.',
  waiting: 'The thread slept: synchronous I/O, execSync or Atomics.wait.',
  cpu_starved:
    'Without waiting for CPU it would have been no block. The thread was ready to run but got no CPU: a busy host or a CPU limit.',
  unknown: 'There was not enough data to determine the cause.',
};
