import { functionKey, isOwnText, standsAtEntry } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';

/** Files of this package, installed or linked in a workspace. */
const OWN_FOLDERS = ['/node_modules/@loopwatch/', '/instrumentation-event-loop/dist/'];

/** Finds the frames of this package in captured stacks, also where its file has another name or is a bundle. */
export class OwnFrames {
  /** Keys of the functions of this package that the event loop calls. */
  readonly #entries = new Set<string>();
  /**
   * The file of this package, or the start of the paths of all its files: `register` is one of its own. Undefined in a
   * bundle of an application, which contains application code, too.
   */
  #ownPath: string | undefined;
  /** The files of these functions. */
  readonly #entryFiles = new Set<string>();
  readonly #isOwnBundle: boolean;

  /** `isOwnBundle`: this package is bundled into a file that contains no code of an application. */
  constructor(isOwnBundle = false) {
    this.#isOwnBundle = isOwnBundle;
  }

  addEntry(frame: Frame): void {
    this.#entries.add(functionKey(frame));
    if (frame.fileName === '') return; // evaluated as text, without a name: V8's own functions have none either
    this.#entryFiles.add(frame.fileName);
    if (isOwnText(frame.fileName)) return;
    if (this.#isOwnBundle) this.#ownPath = frame.fileName;
    else if (isOwnFile(frame.fileName)) this.#ownPath = folderOf(frame.fileName);
  }

  /**
   * Marks the frames of this package. In the bundle of an application, these are the functions that the event loop
   * calls, and what they call in that bundle.
   *
   * Returns no frames where the stack shows nothing of the code that blocked: when a callback ends with a native call,
   * V8 runs the probe at the entry of the function that the event loop calls next.
   */
  mark<Captured extends Frame>(frames: readonly Captured[]): readonly Captured[] {
    const entryIndex = frames.findLastIndex((frame) => this.#entries.has(functionKey(frame)));
    const entry = frames[entryIndex];
    if (entryIndex === 0 && entry && standsAtEntry(entry)) return [];
    const isOfThisPackage = ({ fileName }: Frame, index: number): boolean =>
      (this.#ownPath !== undefined && fileName.startsWith(this.#ownPath)) ||
      (index <= entryIndex && (fileName === entry?.fileName || this.#entryFiles.has(fileName)));
    if (!frames.some(isOfThisPackage)) return frames;
    return frames.map((frame, index) => (isOfThisPackage(frame, index) ? { ...frame, isOwn: true } : frame));
  }
}

function isOwnFile(fileName: string): boolean {
  const path = fileName.replaceAll('\\', '/');
  return OWN_FOLDERS.some((folder) => path.includes(folder));
}

function folderOf(fileName: string): string {
  return fileName.slice(0, Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
}
