import { performance } from 'node:perf_hooks';
import { inSource, type FrameOrigin } from '../../contract/frame-origin.js';
import { kindOf } from '../../contract/frames.js';
import type { FrameAnswer } from '../../contract/map-text.js';
import type { Frame } from '../../contract/model.js';
import type { Pieces } from './json-scan.js';
import { mapFrames, openMappedFiles, pathOfFile } from './map-frames.js';

/** Longest work on all files of a stack, ms. */
const MAX_WORK_MS = 10_000;

/**
 * Maps a stack of a process that started then, by the source maps of its files. A frame without a source is returned as
 * it was given. For a program of its own: it reads and parses, and returns when that is done.
 */
export function mapStackNow(stack: readonly Frame[], startedAtMs: number): readonly Frame[] {
  const until = performance.now() + MAX_WORK_MS;
  const origins = new Map<Frame, FrameOrigin>();
  const fileNames = new Set(stack.filter((frame) => kindOf(frame) === 'application').map(({ fileName }) => fileName));
  for (const fileName of fileNames) {
    const frames = stack.filter((frame) => frame.fileName === fileName && frame.lineNumber > 0);
    const answers = finish(originsOf(fileName, frames, startedAtMs), until) ?? [];
    for (const [i, answer] of answers.entries()) if (typeof answer === 'object') origins.set(frames[i]!, answer);
  }
  return stack.map((frame, i) => {
    const origin = origins.get(frame);
    const caller = stack[i + 1];
    return origin
      ? inSource(frame, origin, caller?.fileName === frame.fileName ? origins.get(caller) : undefined)
      : frame;
  });
}

function* originsOf(
  fileName: string,
  frames: readonly Frame[],
  startedAtMs: number,
): Pieces<FrameAnswer[] | undefined> {
  const filePath = pathOfFile(fileName);
  if (filePath === undefined) return undefined;
  return yield* mapFrames(yield* openMappedFiles(filePath, startedAtMs, undefined), frames);
}

function finish<T>(work: Pieces<T>, until: number): T | undefined {
  while (performance.now() < until) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
  return undefined;
}
