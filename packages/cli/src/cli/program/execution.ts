import { platformKind } from '../platform/kind.js';
import { isNodeBinary } from '../platform/node-binary.js';
import { link } from '../platform/proc-files.js';
import { isNodeBinaryName } from '../platform/proc-text.js';
import type { Execution } from '../store/unfinished-start-ups.js';
import { isAlive } from './is-alive.js';

/**
 * Returns a function that says what the process of an instance executes, as far as the system says so. It reads each
 * binary that has not the name of Node.js once: a single executable has its own.
 */
export function executionReader(): (instance: string) => Execution {
  const nodeBinaries = new Map<string, boolean>();
  const isNode = (pid: number, executable: string): boolean => {
    if (isNodeBinaryName(executable)) return true;
    const is = nodeBinaries.get(executable) ?? isNodeBinary(`/proc/${pid}/exe`);
    nodeBinaries.set(executable, is);
    return is;
  };
  return (instance) => {
    const pid = Number(instance);
    if (!isAlive(pid)) return 'none';
    if (platformKind() !== 'proc') return 'node';
    const executable = link(`${pid}/exe`);
    // One that has ended and waits for its parent has none.
    if (executable === undefined) return 'none';
    return isNode(pid, executable) ? 'node' : 'other';
  };
}
