import { findCulprit } from '../../../src/blocks/culprit.js';
import type { Segment } from '../../../src/blocks/segments.js';
import type { Frame } from '../../../src/contract/model.js';
import { frame, nodeFrame } from './builders.js';

/** Name of the culprit; undefined where there is none. */
export function nameOf(segments: readonly Segment[]): string | undefined {
  return findCulprit(segments)?.frame.functionName;
}

/** A function of the application at its own place in the file. */
export function at(functionName: string, functionLineNumber: number, lineNumber = functionLineNumber + 3): Frame {
  return frame(functionName, { functionLineNumber, lineNumber });
}

/** Node's frames below the callback of a timer. */
export const loopTop = [nodeFrame('listOnTimeout'), nodeFrame('processTimers')];
