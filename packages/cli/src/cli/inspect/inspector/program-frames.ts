import { type DumpFrame, isOfNode } from '../../../model/processes/dump.js';

/**
 * The frames without Loopwatch's own code: the process may be watched while it is asked, and another `loopwatch` may ask
 * it. None where the event loop has called own code, which says nothing of the program.
 */
export function programFrames(frames: readonly DumpFrame[]): readonly DumpFrame[] {
  const top = frames.findIndex(isOwn);
  if (top === -1) return frames;
  const callers = frames.slice(frames.findLastIndex(isOwn) + 1);
  // An expression that is evaluated inside the program's code has a frame without a name.
  while (callers[0] && isNameless(callers[0])) callers.shift();
  if (callers.every(isOfNode)) return [];
  // What a wrapper calls, it calls for the program.
  const isWrapped = top === 1 && frames[0]?.functionName === 'Atomics.wait';
  return isWrapped ? [frames[0]!, ...callers] : callers;
}

/** Evaluated as text, or of an installed package of Loopwatch. */
function isOwn({ filePath }: DumpFrame): boolean {
  return /^loopwatch:|[\\/]node_modules[\\/](@loopwatch[\\/]instrumentation-event-loop|loopwatch)[\\/]/.test(filePath);
}

function isNameless({ functionName, filePath }: DumpFrame): boolean {
  return functionName === '' && filePath === '';
}
