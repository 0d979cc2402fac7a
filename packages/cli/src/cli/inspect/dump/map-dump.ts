import { mapStackNow } from '@loopwatch/instrumentation-event-loop/internal/node';

import type { DumpFrame, ThreadDump } from '../../../model/processes/dump.js';
import { isForeign, type ProcessInfo } from '../process/processes.js';

/**
 * The threads with the sources of their frames, where the files of the process have source maps. Not of a process with
 * other rights or another file system: its paths may lead to files that it could not read.
 */
export function inSources(threads: readonly ThreadDump[], info: ProcessInfo): ThreadDump[] {
  const startedAtMs = Date.now() - info.ageMs;
  const mayRead = !isForeign(info);
  return threads.map((thread) => ({
    ...thread,
    stack: mayRead ? mapFrames(thread.stack, startedAtMs) : thread.stack.map(withoutStart),
  }));
}

function mapFrames(stack: readonly DumpFrame[], startedAtMs: number): DumpFrame[] {
  const frames = stack.map(({ filePath, functionLineNumber = 0, functionColumnNumber = 0, ...frame }) => ({
    ...frame,
    fileName: filePath,
    functionLineNumber,
    functionColumnNumber,
  }));
  return mapStackNow(frames, startedAtMs).map(({ fileName, ...frame }) =>
    withoutStart({ ...frame, filePath: fileName }),
  );
}

function withoutStart({ functionName, filePath, lineNumber, columnNumber, isAsync }: DumpFrame): DumpFrame {
  return { functionName, filePath, lineNumber, columnNumber, isAsync };
}
