import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { combinationPerMajor, consumerOf, packageDirectory } from '@loopwatch/test-support';

const run = promisify(execFile);
/** Both formats carry all code: that of the loop, the deferred text, and the watchdog inside it. */
const MAX_UNPACKED_BYTES = 890_900;

let installed: string;
let consumer: string;

beforeAll(async () => {
  consumer = (await consumerOf('sdk3')).directory;
  installed = path.join(consumer, 'node_modules/@loopwatch/instrumentation-event-loop');
}, 240_000);

test(`the package has at most ${MAX_UNPACKED_BYTES / 1000} kB unpacked`, async () => {
  const files = await readdir(installed, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => stat(path.join(file.parentPath, file.name)));
  const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(MAX_UNPACKED_BYTES);
});

describe('the source maps', () => {
  test('carry no text of the sources', async () => {
    const maps = await filesEndingIn('.map');
    expect(maps).not.toEqual([]);
    for (const file of maps) {
      const map = JSON.parse(await readFile(file, 'utf8')) as Partial<SourceMapPayload>;
      expect(map.sourcesContent ?? []).toEqual([]);
    }
  });

  test('map each throw to the line of the source that has it', async () => {
    let count = 0;
    for (const file of await filesEndingIn('.map')) {
      const map = new SourceMap(JSON.parse(await readFile(file, 'utf8')) as SourceMapPayload);
      const lines = (await readFile(file.replace(/\.map$/, ''), 'utf8')).split('\n');
      for (const [index, line] of lines.entries()) {
        // The watchdog's bundle is one line of text.
        const column = line.length > 2000 ? -1 : line.search(/\bthrow\b/);
        if (column === -1) continue;
        expect(await sourceLine(file, map.findEntry(index, column))).toContain('throw');
        count++;
      }
    }
    expect(count).toBeGreaterThan(3);
  });

  test.each(combinationPerMajor.map(({ nodeMajor }) => nodeMajor))(
    'give an error of the package its line of the source, on Node %i with --enable-source-maps',
    async (nodeMajor) => {
      const program = `
        const { EventLoopInstrumentation } = require('@loopwatch/instrumentation-event-loop');
        try { new EventLoopInstrumentation({ blockedThresholdMs: 'soon' }); } catch (error) { console.log(error.stack); }`;
      const flags = ['--enable-source-maps', '--input-type=commonjs', '--eval', program];
      const { stdout } = await run(nodeBinary(nodeMajor), flags, { cwd: consumer });
      const [, file = '', line] = /\((\/.*?):(\d+):\d+\)/.exec(stdout) ?? [];
      expect(path.relative(installed, file)).toMatch(/^src\/[\w/-]+\.ts$/);
      const source = await readFile(path.join(packageDirectory, path.relative(installed, file)), 'utf8');
      expect(source.split('\n')[Number(line) - 1]).toContain('throw');
    },
  );
});

async function filesEndingIn(ending: string): Promise<string[]> {
  const names = await readdir(path.join(installed, 'dist'));
  return names.filter((name) => name.endsWith(ending)).map((name) => path.join(installed, 'dist', name));
}

/** What `SourceMap#findEntry` returns: empty where nothing is mapped. */
interface Place {
  readonly originalSource?: string;
  readonly originalLine?: number;
}

/** The line to which a map points; the sources lie in the workspace, where the package was built. */
async function sourceLine(map: string, { originalSource, originalLine = 0 }: Place): Promise<string | undefined> {
  if (originalSource === undefined) return undefined;
  const source = path.relative(installed, path.resolve(path.dirname(map), originalSource));
  const text = await readFile(path.join(packageDirectory, source), 'utf8');
  return text.split('\n')[originalLine];
}
