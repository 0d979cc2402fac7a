import { expect, test } from '@jest/globals';

import { EDITOR_NAMES, editorUrl } from '../../src/page/model/editor-url.js';

const at = (filePath: string, lineNumber = 12, columnNumber = 5): Parameters<typeof editorUrl>[1] => ({
  functionName: 'f',
  filePath,
  lineNumber,
  columnNumber,
});

test('each editor opens the line', () => {
  expect(EDITOR_NAMES.map((name) => [name, editorUrl(name, at('/app/src/a b.js'))])).toEqual([
    ['VS Code', 'vscode://file/app/src/a%20b.js:12:5'],
    ['Cursor', 'cursor://file/app/src/a%20b.js:12:5'],
    ['Zed', 'zed://file/app/src/a%20b.js:12:5'],
    ['WebStorm', 'webstorm://open?file=%2Fapp%2Fsrc%2Fa%20b.js&line=12&column=5'],
    ['IntelliJ IDEA', 'idea://open?file=%2Fapp%2Fsrc%2Fa%20b.js&line=12&column=5'],
  ]);
});

test.each([
  ['file:///app/a.mjs', 'vscode://file/app/a.mjs:12:5'],
  ['C:\\app\\a.js', 'vscode://file/C:/app/a.js:12:5'],
  ['/app/node_modules/x/100%.js', 'vscode://file/app/node_modules/x/100%25.js:12:5'],
  ['/app/c#/what?.js', 'vscode://file/app/c%23/what%3F.js:12:5'],
])('%s is at %s', (file, url) => {
  expect(editorUrl('VS Code', at(file))).toBe(url);
});

test('a place without a line is the beginning of the file', () => {
  expect(editorUrl('VS Code', at('/app/a.js', 0, 0))).toBe('vscode://file/app/a.js:1:1');
});

test.each([['node:fs'], [''], ['webpack://app/src/a.js']])('no editor opens %s', (file) => {
  expect(editorUrl('VS Code', at(file))).toBeUndefined();
});
