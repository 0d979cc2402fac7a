import { ANONYMOUS, ANONYMOUS_IN_EVAL, isAnonymous } from './frames.js';
import type { Frame } from './model.js';

/** What a source map says of a position in the generated file. */
export interface Origin {
  readonly fileName: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly name: string;
  /** The map has an entry for exactly this position. */
  readonly isExact: boolean;
  /** Where the entry begins in the generated file; 0 on a line before. */
  readonly generatedColumnNumber: number;
}

export type OriginOf = (lineNumber: number, columnNumber: number) => Origin | undefined;

/** Whether the generated file has that text there; true where the file is not known. */
export type HasText = (lineNumber: number, columnNumber: number, text: string) => boolean;

/** The fields of a frame that decide on its source. */
export type GeneratedFrame = Omit<Frame, 'fileName' | 'isAsync' | 'isOwn' | 'isCompiled'>;

/** Where a frame's code comes from. */
export interface FrameOrigin {
  readonly fileName: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  /** 0 where the map does not say it. */
  readonly functionLineNumber: number;
  readonly functionColumnNumber: number;
  /** The function's own name in the source; '' where the map does not say it. */
  readonly functionName: string;
  /** Name of what the frame calls; '' where the map does not say it. */
  readonly calleeName: string;
}

/** Source text that can stand between a function's start and its name. */
const HEADERS = ['function ', 'function*', 'function* ', 'async function ', 'async function*', 'async function* '];
/** Names up to this length may be a minifier's. */
const MINIFIED_LENGTH = 2;

/** All positions at which `frameOrigin` looks, as line and column. */
export function positionsOf(frame: GeneratedFrame): [number, number][] {
  const { functionName, lineNumber, columnNumber, functionLineNumber, functionColumnNumber } = frame;
  const positions: [number, number][] = [[lineNumber, columnNumber]];
  if (frame.evaluated !== undefined || functionLineNumber === 0) return positions;
  positions.push([functionLineNumber, functionColumnNumber]);
  if (!mayHaveOtherName(frame)) return positions;
  for (const { length } of HEADERS) {
    const column = functionColumnNumber + length;
    positions.push([functionLineNumber, column], [functionLineNumber, column - 1]);
  }
  positions.push([functionLineNumber, functionColumnNumber - '='.length - functionName.length]);
  return positions;
}

/** Looks up where a frame of a generated file comes from. */
export function frameOrigin(
  frame: GeneratedFrame,
  originOf: OriginOf,
  hasText: HasText = () => true,
): FrameOrigin | undefined {
  const entry = originOf(frame.lineNumber, frame.columnNumber);
  if (entry === undefined) return undefined;
  const { fileName, lineNumber, columnNumber, name: calleeName } = entry;
  // Of evaluated text, the map knows nothing.
  const start =
    frame.evaluated === undefined ? originOf(frame.functionLineNumber, frame.functionColumnNumber) : undefined;
  return {
    fileName,
    lineNumber,
    columnNumber,
    functionLineNumber: start?.lineNumber ?? 0,
    functionColumnNumber: start?.columnNumber ?? 0,
    functionName: frame.evaluated === undefined && mayHaveOtherName(frame) ? ownName(frame, originOf, hasText) : '',
    calleeName,
  };
}

/**
 * The frame in its source. `caller` is the frame below in the same generated file, whose map may have the name: that of
 * an arrow function can stand outside of its own source. Node's mapped stacks take it from there, too.
 */
export function inSource(frame: Frame, origin: FrameOrigin, caller: FrameOrigin | undefined): Frame {
  const { fileName, lineNumber, columnNumber } = origin;
  if (frame.evaluated !== undefined) return { ...frame, fileName, lineNumber, columnNumber };
  return {
    ...frame,
    fileName,
    lineNumber,
    columnNumber,
    functionLineNumber: origin.functionLineNumber,
    functionColumnNumber: origin.functionColumnNumber,
    functionName: sourceName(frame, origin, caller),
  };
}

function sourceName(frame: Frame, origin: FrameOrigin, caller: FrameOrigin | undefined): string {
  const { functionName } = frame;
  if (isAnonymous(frame)) return functionName === ANONYMOUS_IN_EVAL ? ANONYMOUS : functionName;
  if (origin.functionName !== '') return origin.functionName;
  if (!mayHaveOtherName(frame)) return functionName;
  return (functionName.length <= MINIFIED_LENGTH && caller?.calleeName) || functionName;
}

function mayHaveOtherName(frame: GeneratedFrame): boolean {
  return !isAnonymous(frame) && !frame.functionName.includes('.');
}

/** The function's name before minification, where the source map contains it at the function. */
function ownName(frame: GeneratedFrame, originOf: OriginOf, hasText: HasText): string {
  const { functionName, functionLineNumber, functionColumnNumber } = frame;
  for (const { length } of HEADERS) {
    const column = functionColumnNumber + length;
    const entry = originOf(functionLineNumber, column);
    // A function without a name has its first parameter there.
    if (!entry?.name || !entry.isExact || !hasText(functionLineNumber, column, `${functionName}(`)) continue;
    // An entry within what would be the header: an arrow function begins there.
    const last = originOf(functionLineNumber, column - 1);
    if (last === undefined || last.generatedColumnNumber <= functionColumnNumber) return entry.name;
  }
  if (functionName.length > MINIFIED_LENGTH) return '';
  // `t=()=>{…}`
  const column = functionColumnNumber - '='.length - functionName.length;
  const assigned = originOf(functionLineNumber, column);
  return assigned?.isExact === true && hasText(functionLineNumber, column, `${functionName}=`) ? assigned.name : '';
}
