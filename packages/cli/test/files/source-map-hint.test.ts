import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { sourceMapHint } from '../../src/cli/files/source-map-hint.js';
import type { Instance } from '../../src/model/types.js';
import { makeBlock } from '../support/records.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-maps-'));
  const map = JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA' });
  const inline = `data:application/json;base64,${Buffer.from(map.repeat(500)).toString('base64')}`;
  await mkdir(path.join(directory, 'node_modules', 'x'), { recursive: true });
  const files = {
    'mapped.js': 'work();\n//# sourceMappingURL=mapped.js.map',
    'mapped.js.map': map,
    'inline.cjs': `work();\n//# sourceMappingURL=${inline}\n`,
    'broken.js': 'work();\n//# sourceMappingURL=broken.js.map',
    'broken.js.map': '{',
    'second-line.js': 'work();\nmore();\n//# sourceMappingURL=second-line.js.map',
    'second-line.js.map': map.replace('AAAA', ';AAAA'),
    'stripped.mjs': 'work();\n//# sourceMappingURL=stripped.mjs.map',
    'stripped.mjs.map': map.replace('AAAA', ''),
    'lost.mjs': 'work();\n//# sourceMappingURL=lost.mjs.map\n',
    'remote.js': 'work();\n//# sourceMappingURL=https://example.org/remote.js.map\n',
    'plain.js': 'work();\n',
    'plain.js.map': map,
    'code-about-maps.js': "write('//# sourceMappingURL=' + name);\n",
    'node_modules/x/mapped.js': 'work();\n//# sourceMappingURL=mapped.js.map',
    'node_modules/x/mapped.js.map': map,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(directory, name), text);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

const PROCESS: Instance = { id: 'i1', service: 'app', label: 'pid 1', command: 'node app.js' };
const blockIn = (name: string) =>
  makeBlock({ culprit: { functionName: 'f', filePath: path.join(directory, name), lineNumber: 1, columnNumber: 1 } });
const hint = (name: string, process: Instance = PROCESS, nodeOptions?: string): string | undefined =>
  sourceMapHint([blockIn('plain.js'), blockIn(name)], [process], nodeOptions, directory);

describe('the hint that a source map was not used', () => {
  test.each(['mapped.js', 'inline.cjs', 'broken.js'])('is given for %s', (name) => {
    expect(hint(name)).toBe(
      `${name} has a source map that was not used: it is older than the file, does not fit it, cannot be read, or ` +
        'LOOPWATCH_SOURCE_MAPS is false. Build both again.',
    );
  });

  test.each([
    'lost.mjs',
    'second-line.js',
    'stripped.mjs',
    'remote.js',
    'plain.js',
    'code-about-maps.js',
    'node_modules/x/mapped.js',
    'missing.js',
    'source.ts',
  ])('is not given for %s', (name) => {
    expect(hint(name)).toBeUndefined();
  });

  test('is not given if the maps are read', () => {
    expect(hint('mapped.js', { ...PROCESS, sourceMaps: true })).toBeUndefined();
    expect(hint('mapped.js', PROCESS, '--enable-source-maps')).toBeUndefined();
  });

  test('is not given without a culprit', () => {
    const { culprit: _culprit, ...nameless } = makeBlock();
    expect(sourceMapHint([nameless], [PROCESS])).toBeUndefined();
  });
});
