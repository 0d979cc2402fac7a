import { fileURLToPath } from 'node:url';

import type { Place } from '../blocks.ts';
import type { Frame } from './timeline.ts';

/** Packages that only observe: their frames are no culprit while other code is on the stack. */
const OBSERVER =
  /[\\/]node_modules[\\/](?:loopwatch|@loopwatch|@opentelemetry|require-in-the-middle|import-in-the-middle)[\\/]/;

export function isObserver(file: string): boolean {
  return OBSERVER.test(pathOf(file));
}

/** Code of the application or of its packages: neither Node.js itself nor an observer. */
export function isForeign({ url }: Frame): boolean {
  return url !== '' && !url.startsWith('node:') && !isObserver(url);
}

/** Code of the application itself. */
export function isApplication(frame: Frame): boolean {
  return isForeign(frame) && !/[\\/]node_modules[\\/]/.test(frame.url);
}

/**
 * Whether a culprit and a frame are the same function. The culprit has the line that it executed, and a name as
 * `Error#stack` has it; the frame has the line where the function starts, and the bare name.
 */
export function isSameFunction(culprit: Place, frame: Frame, { sourceMapped = false } = {}): boolean {
  const name = bareName(culprit.functionName);
  const frameName = bareName(frame.functionName);
  const isAnonymous = name === '' || frameName === '';
  if (sourceMapped && !isAnonymous && name === frameName) return true;
  // Evaluated code has no file in a profile. The culprit has the place of the call that evaluated it.
  const isEvaluated = frame.url === '' && !isAnonymous;
  if (!isEvaluated && pathOf(culprit.filePath) !== pathOf(frame.url)) return false;
  if (!isAnonymous) return name === frameName;
  return sourceMapped || (sameNameOrAnonymous(name, frameName) && startsBefore(frame, culprit));
}

/**
 * The function of a culprit whose name the program has set at run time (`Object.defineProperty(f, 'name', …)`): a profile
 * has the name that V8 has inferred from the source, such as `Object.defineProperty.value`. It is the last function of its
 * file that starts before the culprit's line. Undefined where the profile has the culprit's name.
 */
export function renamedFunction(culprit: Place, frames: readonly Frame[]): Frame | undefined {
  const name = bareName(culprit.functionName);
  const ofFile = frames.filter(({ url }) => url !== '' && pathOf(url) === pathOf(culprit.filePath));
  if (name === '' || ofFile.some(({ functionName }) => bareName(functionName) === name)) return undefined;
  const before = ofFile.filter((frame) => startsBefore(frame, culprit));
  const last = before.reduce<Frame | undefined>((a, b) => (a === undefined || startsBefore(a, b) ? b : a), undefined);
  return last?.functionName.includes('.') === true ? last : undefined;
}

/** `Object.<anonymous>`, `new Parser`, `async Server.handle [as next]`: what V8's profile calls `''`, `Parser`, `handle`. */
function bareName(name: string): string {
  const bare = name
    .replace(/ \[as [^\]]*\]$/, '')
    .replace(/^(?:async |new |get |set |static )+/, '')
    .replace(/^.*\.(?=[^.]+$)/, '');
  return /^<?\(?anonymous\)?>?$/.test(bare) ? '' : bare;
}

/** V8 infers names in the profile that a stack does not have, and the other way round. */
function sameNameOrAnonymous(name: string, frameName: string): boolean {
  return name === '' || frameName === '' || name === frameName;
}

function startsBefore(frame: Frame, { lineNumber, columnNumber }: Pick<Place, 'lineNumber' | 'columnNumber'>): boolean {
  if (frame.lineNumber !== lineNumber) return frame.lineNumber < lineNumber;
  return frame.columnNumber <= columnNumber;
}

export function pathOf(file: string): string {
  if (!file.startsWith('file:')) return file;
  try {
    return fileURLToPath(file.replace(/[?#].*$/, ''));
  } catch {
    return file;
  }
}
