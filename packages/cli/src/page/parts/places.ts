import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { formatPlace, shortPath } from '../../model/format.js';
import type { CodeLocation } from '../../model/types.js';

/** The program's working directory, if it is known. */
export const Directory = createContext<string | undefined>(undefined);

/** Formats places and paths relative to the program's directory. */
export function usePlaces(): { placeOf: (location: CodeLocation) => string; shorten: (filePath: string) => string } {
  const directory = useContext(Directory);
  return {
    placeOf: (location) => formatPlace(location, directory),
    shorten: (filePath) => shortPath(filePath, directory),
  };
}
