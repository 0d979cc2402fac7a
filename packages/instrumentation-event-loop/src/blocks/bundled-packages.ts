import { kindOf, kindsOf } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';
import { findCulprit, mostFrequentStack, type Culprit } from './culprit.js';
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
  const source = sourceOf(culprit.frame, mapStack);
  if (kindOf(source) === 'application') return culprit;
  const inPackages = withPackages(segments, culprit.frame.fileName, source.fileName, mapStack);
  const caller = findCulprit([...inPackages.keys()]);
  // No code of the application was on the stack for most of the time.
  if (caller === undefined || kindOf(caller.frame) !== 'application') return culprit;
  const callerSegments = caller.segments.map((segment) => inPackages.get(segment)!);
  return {
    frame: caller.frame,
    place: caller.place,
    segments: callerSegments,
    occurrences: caller.occurrences.map((occurrence, i) => ({ ...occurrence, segment: callerSegments[i]! })),
    stack: mostFrequentStack(callerSegments),
  };
}

/** The segments, with the frames of packages in the files of packages, each with the one that it is made from. */
function withPackages(
  segments: readonly Segment[],
  bundle: string,
  packageFile: string,
  mapStack: MapStack,
): Map<Segment, Segment> {
  const placed = new Map<Frame, Frame>();
  const place = (frame: Frame): Frame => {
    let known = placed.get(frame);
    if (known === undefined) {
      const source = kindOf(frame) === 'application' ? sourceOf(frame, mapStack) : frame;
      const fileName = isOfBundler(frame, source, bundle) ? packageFile : source.fileName;
      // A frame of the application keeps its place in the bundle, which is mapped with its caller.
      known = kindOf({ ...frame, fileName }) === 'application' ? frame : { ...frame, fileName };
      placed.set(frame, known);
    }
    return known;
  };
  return new Map(
    segments.map((segment) => {
      const frames = segment.frames.map(place);
      return [{ ...segment, frames, kinds: kindsOf(frames) }, segment];
    }),
  );
}

function sourceOf(frame: Frame, mapStack: MapStack): Frame {
  return mapStack([frame])[0] ?? frame;
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
