import type { CapturedFrame } from './evaluated-code.js';

/** Frames that are kept. When there are more, all are dropped: the next stacks fill the pool again. */
const MAX_FRAMES = 4096;

/**
 * Gives equal frames of different stacks one object. The samples of a block, and often of many blocks, show the same
 * frames again and again: what is computed for a frame (its key, its source, its name in the profile) can then be kept.
 */
export class FramePool {
  /** By file, then by position. */
  readonly #files = new Map<string, Map<number, CapturedFrame>>();
  #size = 0;

  /** The same stack, with the frames that were seen before. */
  share(frames: readonly CapturedFrame[]): readonly CapturedFrame[] {
    return frames.map((frame) => this.#shared(frame));
  }

  #shared(captured: CapturedFrame): CapturedFrame {
    const frame = this.#withStart(captured);
    let positions = this.#files.get(frame.fileName);
    if (positions === undefined) {
      positions = new Map();
      this.#files.set(frame.fileName, positions);
    }
    const position = frame.lineNumber * 4096 + frame.columnNumber;
    const known = positions.get(position);
    if (known !== undefined && areEqual(known, frame)) return known;
    positions.set(position, frame);
    if (known === undefined && ++this.#size > MAX_FRAMES) {
      this.#files.clear();
      this.#size = 0;
    }
    return frame;
  }

  /**
   * A stack that was captured as text does not show where its functions begin. One that has a name is known by another
   * frame of it: the two are one function.
   */
  #withStart(frame: CapturedFrame): CapturedFrame {
    if (frame.functionLineNumber > 0 || frame.lineNumber === 0 || frame.functionName === '') return frame;
    let known: CapturedFrame | undefined;
    for (const other of this.#files.get(frame.fileName)?.values() ?? []) {
      if (other.functionName !== frame.functionName || other.functionLineNumber === 0) continue;
      if (other.functionLineNumber > frame.lineNumber) continue;
      if (known === undefined || other.functionLineNumber > known.functionLineNumber) known = other;
    }
    if (known === undefined) return frame;
    const { functionLineNumber, functionColumnNumber } = known;
    return { ...frame, functionLineNumber, functionColumnNumber };
  }
}

function areEqual(a: CapturedFrame, b: CapturedFrame): boolean {
  return (
    a.lineNumber === b.lineNumber &&
    a.columnNumber === b.columnNumber &&
    a.functionLineNumber === b.functionLineNumber &&
    a.functionColumnNumber === b.functionColumnNumber &&
    a.isAsync === b.isAsync &&
    a.functionName === b.functionName &&
    a.evaluatedAt === b.evaluatedAt &&
    a.scriptHash === b.scriptHash &&
    a.fileName === b.fileName
  );
}
