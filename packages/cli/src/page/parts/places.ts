import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { shortPath } from '../../model/format.js';
import { formatPlace, type Place, placeOf } from '../../model/place.js';
import type { StackFrame } from '../../model/stack.js';
import type { CodeLocation } from '../../model/types.js';

/** The program's working directory, if it is known. */
export const Directory = createContext<string | undefined>(undefined);

interface Places {
  readonly placeOf: (location: CodeLocation) => Place;
  /** Undefined if the frame names no file. */
  readonly formatFrame: (frame: StackFrame) => string | undefined;
  readonly shorten: (filePath: string) => string;
}

/** Shortens places and paths relative to the program's directory. */
export function usePlaces(): Places {
  const directory = useContext(Directory);
  return {
    placeOf: (location) => placeOf(location, directory),
    formatFrame: ({ functionName, filePath, lineNumber = 0, columnNumber = 0 }) =>
      filePath === undefined ? undefined : formatPlace({ functionName, filePath, lineNumber, columnNumber }, directory),
    shorten: (filePath) => shortPath(filePath, directory),
  };
}
