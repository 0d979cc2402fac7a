import module from 'node:module';
import process from 'node:process';
import { URL } from 'node:url';
import { frameOrigin, inSource, type FrameOrigin, type Origin } from '../contract/frame-origin.js';
import { kindOf } from '../contract/frames.js';
import type { FrameAnswer } from '../contract/map-text.js';
import type { Frame } from '../contract/model.js';

/**
 * Maps the frames of a stack to their sources, and file URLs to paths. Where Node has source maps
 * (`--enable-source-maps`, or a loader that has enabled them), by these; else by what the watchdog has answered.
 */
export function mapStack(stack: readonly Frame[]): readonly Frame[] {
  return mapEach(stack, originFromNode);
}

/**
 * The same for a stack that is mapped inside the blocked code, which the watchdog has interrupted. Node finds a map with
 * a regular expression. On Node.js 20 and 22, one that runs while V8 has interrupted another changes the other's result
 * or crashes the process: there, a frame that no earlier block has shown keeps its position in the generated file.
 */
export function mapInterruptedStack(stack: readonly Frame[]): readonly Frame[] {
  const mayAskNode = !haveRegExpsSharedState || !mayHaveSourceMaps();
  return mapEach(stack, mayAskNode ? originFromNode : (frame) => originsOfNode.get(frame));
}

/** Whether two regular expressions of a thread share V8's buffer of captures: until V8 12. */
const haveRegExpsSharedState = Number(process.versions.v8.split('.', 1).join('')) < 13;

/** Node has no source maps where they are not enabled, and need not be asked for one. */
function mayHaveSourceMaps(): boolean {
  return (process as { sourceMapsEnabled?: boolean }).sourceMapsEnabled !== false;
}

/**
 * In a build for development, webpack evaluates each module as text, under an address (`webpack-internal:`, `webpack:`) with
 * the path of its source. The text is what webpack and its loaders have made of it, and only Node.js can have its map.
 */
const WEBPACK = 'webpack';

type OriginFrom = (frame: Frame) => FrameOrigin | undefined;

function mapEach(stack: readonly Frame[], originFrom: OriginFrom): readonly Frame[] {
  const origins = stack.map((frame) => originFrom(frame) ?? originFromWatchdog(frame));
  return stack.map((frame, i) => {
    const origin = origins[i];
    const caller = stack[i + 1]?.fileName === frame.fileName ? origins[i + 1] : undefined;
    const isCompiled =
      origin === undefined && (answers.get(frame) === 'compiled' || frame.fileName.startsWith(WEBPACK));
    const known = mappedFrames.get(frame);
    if (known?.origin === origin && known?.calleeName === caller?.calleeName && known?.isCompiled === isCompiled)
      return known.mapped;
    const mapped = origin
      ? inSource(frame, origin, caller)
      : { ...frame, fileName: toPath(frame.fileName), ...(isCompiled && { isCompiled }) };
    mappedFrames.set(frame, { origin, calleeName: caller?.calleeName, isCompiled, mapped });
    return mapped;
  });
}

interface MappedFrame {
  readonly origin: FrameOrigin | undefined;
  readonly calleeName: string | undefined;
  readonly isCompiled: boolean;
  readonly mapped: Frame;
}

/** Cached, because most stacks have the frames of earlier ones. */
const mappedFrames = new WeakMap<Frame, MappedFrame>();
/** The same: a search in a large map takes long. */
const originsOfNode = new WeakMap<Frame, FrameOrigin | undefined>();
const answers = new WeakMap<Frame, FrameAnswer | 'asked'>();

/** Whether the watchdog is to be asked for the source of the frame: only the first time, unless it has said `later`. */
export function needsAnswer(frame: Frame): boolean {
  if (answers.has(frame)) return false;
  answers.set(frame, 'asked');
  const { fileName, lineNumber, scriptHash } = frame;
  if (lineNumber === 0) return false;
  // Node.js has a map, or the code is that of the file. Where a loader has compiled it and gives no map to Node.js
  // (`@swc-node/register`), it is neither.
  if ((process as { sourceMapsEnabled?: boolean }).sourceMapsEnabled === true && scriptHash === undefined) return false;
  const isFile = fileName.startsWith('/') || fileName.startsWith('file:') || fileName[1] === ':';
  // The files of packages are those that are installed.
  return isFile && kindOf(frame) === 'application';
}

export function setAnswer(frame: Frame, answer: FrameAnswer): void {
  if (answer === 'later') answers.delete(frame);
  else answers.set(frame, answer);
}

function originFromWatchdog(frame: Frame): FrameOrigin | undefined {
  const answer = answers.get(frame);
  return typeof answer === 'object' ? answer : undefined;
}

function originFromNode(frame: Frame): FrameOrigin | undefined {
  if (frame.fileName === '' || frame.fileName.startsWith('node:') || !mayHaveSourceMaps()) return undefined;
  const known = originsOfNode.get(frame);
  if (known !== undefined || originsOfNode.has(frame)) return known;
  const origin = frameOrigin(frame, (line, column) => entryOfNode(frame.fileName, line, column));
  originsOfNode.set(frame, origin);
  return origin;
}

function entryOfNode(fileName: string, lineNumber: number, columnNumber: number): Origin | undefined {
  if (lineNumber === 0) return undefined;
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
