import type { CodeLocation } from '../types.js';
import { shortPath } from './format.js';
import { endThatFits, startThatFits, textWidth } from './text-width.js';
import { wellFormed } from './well-formed.js';

/** Where a culprit is, in parts that can be shortened apart. */
export interface Place {
  /** Directories, with a slash at the end; may be empty. */
  readonly directories: string;
  readonly file: string;
  /** `:12`, `:1:23456`; empty if the line is unknown. */
  readonly position: string;
}

/** Lines that a person wrote are hardly longer: beyond it the code is a bundle, and the line alone says nothing. */
const LONGEST_WRITTEN_LINE = 120;
/** Output of build tools: several statements on a line. A directory above the program's own may have one of the second names. */
const FRAMEWORK_OUTPUT = /\/(\.next|\.nuxt|\.output|\.svelte-kit)\//;
const BUILD_OUTPUT = /(^|\/)(dist|build|out|chunks)\/|\.min\.[cm]?js$/;
const ELLIPSIS = '…';
/** Less of a file's name would not be recognised. */
const MIN_FILE_WIDTH = 8;

/** The place with a short path. The column is part of it where the line alone does not say the place: in built code. */
export function placeOf(location: CodeLocation, directory?: string): Place {
  const path = shortPath(location.filePath, directory);
  const fileStart = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  return { directories: path.slice(0, fileStart), file: path.slice(fileStart), position: positionOf(location, path) };
}

/** `src/view.js:12`, `.next/server/chunks/a.js:1:23456` */
export function formatPlace(location: CodeLocation, directory?: string): string {
  const { directories, file, position } = placeOf(location, directory);
  return directories + file + position;
}

/**
 * The place in at most `width` columns. It is cut in the middle: line and column stay, then the end of the file's name,
 * then the last directories. It is longer than `width` only if line and column alone are.
 */
export function fitPlace({ directories, file, position }: Place, width: number): string {
  const whole = directories + file + position;
  if (textWidth(whole) <= width) return whole;
  const shortDirectories = fitDirectories(directories, width - textWidth(file) - position.length);
  const name = shortDirectories + file;
  return (textWidth(name) + position.length <= width ? name : cutMiddle(file, width - position.length)) + position;
}

/** The smallest width in which the place can still be recognised. */
export function minPlaceWidth({ file, position }: Place): number {
  return Math.min(textWidth(file), MIN_FILE_WIDTH) + position.length;
}

/** `a-long-name` in 7 columns: `a-l…ame`. */
export function cutMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 1) return width === 1 ? ELLIPSIS : '';
  // The end of a file's name holds its type, and often what distinguishes it.
  const endWidth = Math.ceil((width - 1) / 2);
  return startThatFits(text, width - 1 - endWidth) + ELLIPSIS + endThatFits(text, endWidth);
}

/** `packages/demo/src/runs/` as `packages/…/runs/`; with less width `…/runs/`, then nothing. */
function fitDirectories(directories: string, width: number): string {
  const names = directories.split('/').slice(0, -1);
  const [first = '', ...rest] = names;
  const startsWithName = first !== '' && first !== ELLIPSIS;
  for (let dropped = 1; startsWithName && dropped < rest.length; dropped += 1) {
    const shown = `${first}/${ELLIPSIS}/${rest.slice(dropped).join('/')}/`;
    if (textWidth(shown) <= width) return shown;
  }
  for (let kept = rest.length; kept > 0; kept -= 1) {
    const shown = `${ELLIPSIS}/${names.slice(-kept).join('/')}/`;
    if (textWidth(shown) <= width) return shown;
  }
  return width >= 2 && directories !== '' ? `${ELLIPSIS}/` : '';
}

function positionOf({ filePath, lineNumber, columnNumber }: CodeLocation, shownPath: string): string {
  if (lineNumber <= 0) return '';
  const isBuilt =
    columnNumber > LONGEST_WRITTEN_LINE || FRAMEWORK_OUTPUT.test(filePath) || BUILD_OUTPUT.test(shownPath);
  return isBuilt && columnNumber > 0 ? `:${lineNumber}:${columnNumber}` : `:${lineNumber}`;
}

/** What is written by hand is shorter: the rest of a longer name says nothing more. */
const MAX_NAME_CHARACTERS = 300;

/** A name of any length, as it is shown: a longer one without its middle. */
export function shownName(name: string): string {
  if (name.length <= MAX_NAME_CHARACTERS) return wellFormed(name);
  const endCharacters = MAX_NAME_CHARACTERS / 3;
  return wellFormed(name.slice(0, 2 * endCharacters) + ELLIPSIS + name.slice(-endCharacters));
}
