import module from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Frame } from '../contract/model.js';

/**
 * Maps the frames of a stack to their sources where Node has source maps (`--enable-source-maps`, or a loader that
 * switched them on), and file URLs to paths.
 */
export function mapStack(stack: readonly Frame[]): readonly Frame[] {
  return stack.map((frame, i) => {
    const entry = originOf(frame, frame.lineNumber, frame.columnNumber);
    if (entry === undefined) return { ...frame, fileName: toPath(frame.fileName) };
    const start = originOf(frame, frame.functionLineNumber, frame.functionColumnNumber);
    return {
      ...frame,
      functionName: sourceName(frame, stack[i + 1]),
      fileName: entry.fileName,
      lineNumber: entry.lineNumber,
      columnNumber: entry.columnNumber,
      functionLineNumber: start?.lineNumber ?? 0,
      functionColumnNumber: start?.columnNumber ?? 0,
    };
  });
}

/** What can stand between a function's start and its name. */
const HEADERS = ['function ', 'function*', 'function* ', 'async function ', 'async function*', 'async function* '];
/** A minifier's names are this short. */
const MINIFIED_LENGTH = 2;

/** The function's name before it was minified, where the map tells. */
function sourceName(frame: Frame, caller: Frame | undefined): string {
  const { functionName } = frame;
  if (functionName === '' || functionName.includes('.')) return functionName;
  for (const header of HEADERS) {
    const column = frame.functionColumnNumber + header.length;
    const entry = originOf(frame, frame.functionLineNumber, column);
    if (entry?.name && entry.isExact) return entry.name;
  }
  if (functionName.length > MINIFIED_LENGTH || caller?.fileName !== frame.fileName) return functionName;
  // An arrow function's name stands outside of it: the caller's call names it, as in Node's own mapped stacks.
  return originOf(caller, caller.lineNumber, caller.columnNumber)?.name || functionName;
}

interface Origin {
  readonly fileName: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly name: string;
  /** The map has an entry for this very position. */
  readonly isExact: boolean;
}

function originOf({ fileName }: Frame, lineNumber: number, columnNumber: number): Origin | undefined {
  if (lineNumber === 0 || fileName === '' || fileName.startsWith('node:')) return undefined;
  try {
    // Typed as always there, undefined where Node knows no map.
    const map = module.findSourceMap(fileName);
    const entry = map?.findEntry(lineNumber - 1, columnNumber - 1);
    if (!entry || !('originalSource' in entry)) return undefined;
    // A map is somebody's file: what it says may be anything.
    const { originalSource, originalLine, originalColumn, name } = entry as unknown as Partial<Record<string, unknown>>;
    if (typeof originalSource !== 'string' || originalSource === '') return undefined;
    if (!isIndex(originalLine) || !isIndex(originalColumn)) return undefined;
    return {
      fileName: toPath(originalSource),
      lineNumber: originalLine + 1,
      columnNumber: originalColumn + 1,
      name: typeof name === 'string' ? name : '',
      isExact: entry.generatedLine === lineNumber - 1 && entry.generatedColumn === columnNumber - 1,
    };
  } catch {
    return undefined; // a broken map is no reason to lose the frame
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function toPath(fileName: string): string {
  if (!fileName.startsWith('file:')) return fileName;
  try {
    return fileURLToPath(fileName);
  } catch {
    return fileName;
  }
}
