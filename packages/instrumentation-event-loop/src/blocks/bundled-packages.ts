import { kindOf, kindsOf } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { findCulprit, type Culprit } from './culprit.js';
import type { Segment } from './segments.js';

type MapStack = (stack: readonly Frame[]) => readonly Frame[];

/**
 * Finds the culprit as `findCulprit` does. A bundle has the application and its packages in one file, so that by the file
 * alone a function of a package is one of the application. Where the source map shows that the culprit is of a package,
 * the function of the application that called it is the culprit, as it is without a bundle.
 */
export function findCulpritInSource(segments: readonly Segment[], mapStack: MapStack): Culprit | undefined {
  const culprit = findCulprit(segments);
  if (culprit === undefined || kindOf(culprit.frame) !== 'application') return culprit;
  const bundle = culprit.frame.fileName;
  const source = mapStack([culprit.frame])[0] ?? culprit.frame;
  if (kindOf(source) === 'application') return culprit;
  const placed = new Map<Frame, Frame>();
  const inSource = (frame: Frame): Frame => {
    if (kindOf(frame) !== 'application') return frame;
    const known = placed.get(frame) ?? mapStack([frame])[0] ?? frame;
    placed.set(frame, known);
    // What the bundler has written between the package and its caller is of the package.
    return isOfBundler(frame, known, bundle) ? source : known;
  };
  const kinds = new Map(segments.map((segment) => [segment, kindsOf(segment.frames.map(inSource))]));
  const caller = findCulprit(segments, (segment) => kinds.get(segment)!);
  // No code of the application may have been on the stack for most of the time.
  return caller !== undefined && kindOf(caller.frame) === 'application' ? caller : culprit;
}

/** Sources that bundlers make up for their own code. */
const BUNDLERS_SOURCES = ['/webpack/bootstrap', '/webpack/runtime/', '[turbopack]', '\0'];

/** Whether the bundler has written the code: the source map has no source for it, or a made-up one. */
function isOfBundler(frame: Frame, source: Frame, bundle: string): boolean {
  // The file of a frame without a source may have changed from a URL to a path.
  const isUnmapped = frame.fileName.endsWith(source.fileName);
  if (isUnmapped) return frame.fileName === bundle;
  return BUNDLERS_SOURCES.some((part) => source.fileName.includes(part));
}
