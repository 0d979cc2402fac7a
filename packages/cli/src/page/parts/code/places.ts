import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { StackFrame } from '../../../model/stacks/stack.js';
import { shortPath } from '../../../model/text/format.js';
import { formatPlace, type Place, placeOf } from '../../../model/text/place.js';
import { sourceUrl } from '../../../model/text/source-url.js';
import type { CodeLocation, Instance, VersionControl } from '../../../model/types.js';
import { editorUrl } from '../../model/editor-url.js';
import { useEditor } from './editor.js';

interface ProgramSource {
  readonly directory?: string;
  readonly vcs?: VersionControl;
}

/** The program's working directory and its commit, if they are known. */
export const Program = createContext<ProgramSource>({});

/** Directory and commit of this instance, as far as its resource has them, else those of the whole page. */
export function useProgramOf(instance: Instance | undefined): ProgramSource {
  const page = useContext(Program);
  const { directory = page.directory, vcs = page.vcs } = instance ?? {};
  return { ...(directory !== undefined && { directory }), ...(vcs && { vcs }) };
}

interface Places {
  readonly placeOf: (location: CodeLocation) => Place;
  /** Undefined if the frame names no file. */
  readonly formatFrame: (frame: StackFrame) => string | undefined;
  readonly shorten: (filePath: string) => string;
  /**
   * Address of the line: in the user's editor if one is chosen, else in the repository at the commit that ran. Undefined
   * if it is not known.
   */
  readonly urlOf: (location: CodeLocation) => string | undefined;
}

/** Shortens places and paths relative to the program's directory. */
export function usePlaces(): Places {
  const { directory, vcs } = useContext(Program);
  const editor = useEditor();
  return {
    placeOf: (location) => placeOf(location, directory),
    formatFrame: ({ functionName, filePath, lineNumber = 0, columnNumber = 0 }) =>
      filePath === undefined ? undefined : formatPlace({ functionName, filePath, lineNumber, columnNumber }, directory),
    shorten: (filePath) => shortPath(filePath, directory),
    urlOf: (location) => {
      if (editor !== undefined) return editorUrl(editor, location);
      return directory === undefined ? undefined : sourceUrl(location, { directory, ...(vcs && { vcs }) });
    },
  };
}
