import { encodePart, wellFormed } from '../../model/text/well-formed.js';
import type { CodeLocation } from '../../model/types.js';

/** Address at which an editor opens a place; the path is absolute, with a slash in front. */
type Opener = (path: string, line: number, column: number) => string;

const byPath =
  (scheme: string): Opener =>
  (path, line, column) =>
    `${scheme}://file${encodePath(path)}:${line}:${column}`;
const byQuery =
  (scheme: string): Opener =>
  (path, line, column) =>
    `${scheme}://open?file=${encodePart(path)}&line=${line}&column=${column}`;

/** Editors that register an address of their own with the system, by name. */
const EDITORS = {
  'VS Code': byPath('vscode'),
  Cursor: byPath('cursor'),
  Zed: byPath('zed'),
  WebStorm: byQuery('webstorm'),
  'IntelliJ IDEA': byQuery('idea'),
} as const satisfies Record<string, Opener>;

export type EditorName = keyof typeof EDITORS;

export const EDITOR_NAMES = Object.keys(EDITORS) as readonly EditorName[];

/** Address that opens the place in the editor; undefined for code of Node.js and code without a file. */
export function editorUrl(editor: EditorName, location: CodeLocation): string | undefined {
  // Half a character, which a recording may have, cannot be encoded.
  const path = absolutePath(location.filePath.replace(/^file:\/\//, '').replace(/\p{Cs}/gu, '\uFFFD'));
  if (path === undefined) return undefined;
  return EDITORS[editor](path, Math.max(1, location.lineNumber), Math.max(1, location.columnNumber));
}

/** `/app/a.js`, `/C:/app/a.js` */
function absolutePath(path: string): string | undefined {
  if (path.startsWith('/')) return path;
  return /^[a-z]:[\\/]/i.test(path) ? `/${path.replaceAll('\\', '/')}` : undefined;
}

/** The colon of a drive stays. */
function encodePath(path: string): string {
  return encodeURI(wellFormed(path)).replaceAll(/[?#]/g, encodePart);
}
