import { platformKind } from '../platform/kind.js';
import { link } from '../platform/proc-files.js';
import { isNodeBinaryName } from '../platform/proc-text.js';
import type { Execution } from '../store/unfinished-start-ups.js';
import { isAlive } from './is-alive.js';

/** What the process of an instance executes, as far as the system says so. */
export function executionOf(instance: string): Execution {
  const pid = Number(instance);
  if (!isAlive(pid)) return 'none';
  if (platformKind() !== 'proc') return 'node';
  const executable = link(`${pid}/exe`);
  // One that has ended and waits for its parent has none.
  if (executable === undefined) return 'none';
  return isNodeBinaryName(executable) ? 'node' : 'other';
}
