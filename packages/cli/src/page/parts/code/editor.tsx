import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';

import { EDITOR_NAMES, type EditorName } from '../../model/editor-url.js';
import { storeChoice, storedChoice } from '../state/stored-choice.js';

interface EditorChoice {
  /** Undefined: places link to the repository. */
  readonly editor: EditorName | undefined;
  readonly choose: (editor: EditorName | undefined) => void;
}

const STORAGE_KEY = 'loopwatch-editor';

const Editor = createContext<EditorChoice>({ editor: undefined, choose: () => undefined });

/** Gives the page the editor in which the user reads code. */
export function EditorProvider({ children }: { children: ComponentChildren }): JSX.Element {
  const [editor, setEditor] = useState(() => storedChoice(STORAGE_KEY, EDITOR_NAMES));
  const choose = (chosen: EditorName | undefined): void => {
    setEditor(chosen);
    storeChoice(STORAGE_KEY, chosen);
  };
  return <Editor.Provider value={{ editor, choose }}>{children}</Editor.Provider>;
}

export function useEditor(): EditorName | undefined {
  return useContext(Editor).editor;
}

/** Where places lead: to the repository, or to an editor on the user's machine. */
export function EditorSelect(): JSX.Element {
  const { editor, choose } = useContext(Editor);
  return (
    <label class="editor">
      Open code in{' '}
      <select
        value={editor ?? ''}
        onChange={({ currentTarget: { value } }) => {
          choose(EDITOR_NAMES.find((name) => name === value));
        }}
      >
        <option value="">Repository</option>
        {EDITOR_NAMES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
