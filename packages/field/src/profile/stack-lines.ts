import type { Place } from '../blocks.ts';

/** A line of a reported stack. */
interface StackLine {
  /** A caller that awaits. */
  readonly isAsync: boolean;
  readonly place: Place;
}

/** What a report calls a function without a name; a line of a stack has its place only. */
const ANONYMOUS = '<anonymous>';

export function linesOfStack(stackTrace = ''): StackLine[] {
  return stackTrace.split('\n').flatMap((line) => parseStackLine(line) ?? []);
}

function parseStackLine(line: string): StackLine | undefined {
  const [, isAsync, functionName, filePath, lineNumber, columnNumber] =
    /^\s*at (async )?(.*?) ?\(?([^\s(]+):(\d+):(\d+)\)?$/.exec(line) ?? [];
  if (functionName === undefined || filePath === undefined) return undefined;
  return {
    isAsync: isAsync !== undefined,
    place: {
      functionName: functionName === '' ? ANONYMOUS : functionName,
      filePath,
      lineNumber: Number(lineNumber),
      columnNumber: Number(columnNumber),
    },
  };
}

/** Whether both have the same name and file. The culprit's line need not be that of the most frequent stack. */
export function isSameName(place: Place, culprit: Place | undefined): boolean {
  return place.functionName === culprit?.functionName && place.filePath === culprit.filePath;
}

/** The same; of a function without a name, the line too: a file has many of them. */
export function isSamePlace(place: Place, culprit: Place | undefined): boolean {
  return isSameName(place, culprit) && (place.functionName !== ANONYMOUS || place.lineNumber === culprit?.lineNumber);
}
