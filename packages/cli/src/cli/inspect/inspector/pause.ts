import { isBlocked, type ThreadDump } from '../../../model/processes/dump.js';
import type { OpenInspector } from './open-inspector.js';

/**
 * Marks the threads that a debugger may have paused: one is connected, and the thread keeps its stack and sleeps. An
 * inspector without a client pauses nothing, and a thread that only waits for a CPU is ready to run.
 */
export function markPauses(threads: readonly ThreadDump[], isDebuggerConnected: boolean): readonly ThreadDump[] {
  return isDebuggerConnected ? threads.map(markPause) : threads;
}

function markPause(thread: ThreadDump): ThreadDump {
  const mayBePaused = thread.state === 'running' && isBlocked(thread) && thread.isReady !== true;
  return mayBePaused ? { ...thread, mayBePaused } : thread;
}

/** `portsBefore`: those to which a client was connected before Loopwatch connected. */
export function isDebuggerConnected({ wasOpen, address }: OpenInspector, portsBefore: ReadonlySet<number>): boolean {
  return wasOpen && portsBefore.has(address.port);
}
