import module from 'node:module';
import process from 'node:process';
import { URL } from 'node:url';
import { ANONYMOUS, ANONYMOUS_IN_EVAL, isAnonymous } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';

/**
 * Maps the frames of a stack to their sources where Node has source maps (`--enable-source-maps`, or a loader that has
 * enabled them), and file URLs to paths.
 */
export function mapStack(stack: readonly Frame[]): readonly Frame[] {
  return stack.map((frame, i) => {
    const caller = stack[i + 1];
    const known = mappedFrames.get(frame);
    if (known !== undefined && known.caller === caller) return known.mapped;
    const mapped = mapFrame(frame, caller);
    mappedFrames.set(frame, { caller, mapped });
    return mapped;
  });
}

/**
 * The same for a stack that is mapped inside the blocked code, which the watchdog has interrupted. Node finds a map with
 * a regular expression. On Node.js 20 and 22, one that runs while V8 has interrupted another changes the other's result
 * or crashes the process: there, a frame that no earlier block has shown keeps its position in the generated file.
 */
export function mapInterruptedStack(stack: readonly Frame[]): readonly Frame[] {
  if (!haveRegExpsSharedState || !mayHaveSourceMaps()) return mapStack(stack);
  return stack.map((frame, i) => {
    const known = mappedFrames.get(frame);
    if (known !== undefined && known.caller === stack[i + 1]) return known.mapped;
    return { ...frame, fileName: toPath(frame.fileName) };
  });
}

/** Whether two regular expressions of a thread share V8's buffer of captures: until V8 12. */
const haveRegExpsSharedState = Number(process.versions.v8.split('.', 1).join('')) < 13;

/** Node has no source maps where they are not enabled, and need not be asked for one. */
function mayHaveSourceMaps(): boolean {
  return (process as { sourceMapsEnabled?: boolean }).sourceMapsEnabled !== false;
}

/** Cached: a search in a large map takes long, and most stacks have the frames of earlier ones. */
const mappedFrames = new WeakMap<Frame, { readonly caller: Frame | undefined; readonly mapped: Frame }>();

function mapFrame(frame: Frame, caller: Frame | undefined): Frame {
  const entry = originOf(frame, frame.lineNumber, frame.columnNumber);
  if (entry === undefined) return { ...frame, fileName: toPath(frame.fileName) };
  const place = { fileName: entry.fileName, lineNumber: entry.lineNumber, columnNumber: entry.columnNumber };
  if (frame.evaluated !== undefined) return { ...frame, ...place }; // the map knows nothing of the evaluated text
  const start = originOf(frame, frame.functionLineNumber, frame.functionColumnNumber);
  return {
    ...frame,
    functionName: sourceName(frame, caller),
    ...place,
    functionLineNumber: start?.lineNumber ?? 0,
    functionColumnNumber: start?.columnNumber ?? 0,
  };
}

/** Source text that can stand between a function's start and its name. */
const HEADERS = ['function ', 'function*', 'function* ', 'async function ', 'async function*', 'async function* '];
/** Names up to this length may be a minifier's. */
const MINIFIED_LENGTH = 2;

/** The function's name before minification, where the source map contains it. */
function sourceName(frame: Frame, caller: Frame | undefined): string {
  const { functionName } = frame;
  if (isAnonymous(frame)) return functionName === ANONYMOUS_IN_EVAL ? ANONYMOUS : functionName;
  if (functionName.includes('.')) return functionName;
  for (const header of HEADERS) {
    const column = frame.functionColumnNumber + header.length;
    const entry = originOf(frame, frame.functionLineNumber, column);
    if (entry?.name && entry.isExact && !hasEntryWithin(frame, header)) return entry.name;
  }
  if (functionName.length > MINIFIED_LENGTH || caller?.fileName !== frame.fileName) return functionName;
  // The name of an arrow function stands outside of its own source. The call in the caller's source has it, too; Node's
  // mapped stacks use the same.
  return originOf(caller, caller.lineNumber, caller.columnNumber)?.name || functionName;
}

/** Whether the source map has an entry within what would be the header: then an arrow function begins there. */
function hasEntryWithin(frame: Frame, header: string): boolean {
  const { functionLineNumber, functionColumnNumber } = frame;
  const last = originOf(frame, functionLineNumber, functionColumnNumber + header.length - 1);
  return last !== undefined && last.generatedColumnNumber > functionColumnNumber;
}

interface Origin {
  readonly fileName: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly name: string;
  /** The map has an entry for exactly this position. */
  readonly isExact: boolean;
  /** Where the entry begins in the generated file; 0 on a line before. */
  readonly generatedColumnNumber: number;
}

function originOf({ fileName }: Frame, lineNumber: number, columnNumber: number): Origin | undefined {
  if (lineNumber === 0 || fileName === '' || fileName.startsWith('node:') || !mayHaveSourceMaps()) return undefined;
  try {
    // Undefined where Node has no map, although the type does not say so.
    const map = module.findSourceMap(fileName);
    const entry = map?.findEntry(lineNumber - 1, columnNumber - 1);
    if (!entry || !('originalSource' in entry)) return undefined;
    // A source map is an untrusted file: its fields can have any type.
    const { originalSource, originalLine, originalColumn, name } = entry as unknown as Partial<Record<string, unknown>>;
    if (typeof originalSource !== 'string' || originalSource === '') return undefined;
    if (!isIndex(originalLine) || !isIndex(originalColumn)) return undefined;
    return {
      fileName: toPath(originalSource),
      lineNumber: originalLine + 1,
      columnNumber: originalColumn + 1,
      name: typeof name === 'string' ? name : '',
      isExact: entry.generatedLine === lineNumber - 1 && entry.generatedColumn === columnNumber - 1,
      generatedColumnNumber: entry.generatedLine === lineNumber - 1 ? entry.generatedColumn + 1 : 0,
    };
  } catch {
    return undefined; // with a broken map, the frame keeps its generated position
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

/** As `fileURLToPath`, which may execute regular expressions. */
function toPath(fileName: string): string {
  if (!fileName.startsWith('file:')) return fileName;
  try {
    const { hostname, pathname } = new URL(fileName);
    if (pathname.toLowerCase().includes('%2f')) return fileName;
    const decoded = decodeURIComponent(pathname);
    if (process.platform !== 'win32') return hostname === '' ? decoded : fileName;
    const windowsPath = decoded.replaceAll('/', '\\');
    return hostname === '' ? windowsPath.slice(1) : `\\\\${hostname}${windowsPath}`;
  } catch {
    return fileName;
  }
}
