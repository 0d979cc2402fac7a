import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { formatPlace, shortPath } from '../../model/format.js';
import type { CodeLocation } from '../../model/types.js';

/** The directory that the program was run in, where it is known. */
export const Directory = createContext<string | undefined>(undefined);

/** Places as short as they stay clear, relative to the program's directory. */
export function usePlaces(): { placeOf: (location: CodeLocation) => string; shorten: (filePath: string) => string } {
  const directory = useContext(Directory);
  return {
    placeOf: (location) => formatPlace(location, directory),
    shorten: (filePath) => shortPath(filePath, directory),
  };
}
