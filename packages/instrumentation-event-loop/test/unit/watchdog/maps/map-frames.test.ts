import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { encode } from '@jridgewell/sourcemap-codec';
import type { FrameAnswer } from '../../../../src/contract/map-text.js';
import { mapFrames, openMappedFiles } from '../../../../src/watchdog/maps/map-frames.js';
import { frame } from '../../support/builders.js';
import { finish } from './support.js';

/** Column 21 calls, in a function that begins at column 1. */
const CODE = 'function t(a){return a.find(b)}';
const call = frame('t', { lineNumber: 1, columnNumber: 24, functionLineNumber: 1, functionColumnNumber: 1 });
const MAP = {
  version: 3,
  file: 'app.js',
  sources: ['../src/trace.ts'],
  names: ['createSpans', 'find'],
  mappings: encode([
    [
      [0, 0, 15, 0],
      [9, 0, 15, 9, 0],
      [21, 0, 16, 9, 1],
      [23, 0, 16, 14, 1],
    ],
  ]),
};
const MAPPED = { functionName: 'createSpans', calleeName: 'find', lineNumber: 17, functionLineNumber: 16 };

let directory: string;
let file: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'loopwatch-maps-')));
  file = path.join(directory, 'dist/app.js');
  mkdirSync(path.dirname(file));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

interface Build {
  readonly code?: string;
  /** Undefined: no file. */
  readonly map?: unknown;
  readonly mapName?: string;
  readonly comment?: string;
}

function build({ code = CODE, map, mapName = 'app.js.map', comment = '//# sourceMappingURL=app.js.map' }: Build): void {
  writeFileSync(file, `${code}\n${comment}\n`);
  if (map !== undefined)
    writeFileSync(path.join(directory, 'dist', mapName), typeof map === 'string' ? map : JSON.stringify(map));
}

function answer(question = call, startedAtMs = Infinity, jestCache?: string): FrameAnswer | undefined {
  const files = finish(openMappedFiles(file, startedAtMs, jestCache));
  return files.length === 0 ? undefined : finish(mapFrames(files, [question]))[0];
}

const inline = (map: unknown): string =>
  `//# sourceMappingURL=data:application/json;charset=utf-8;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;

describe('a frame has its source', () => {
  test.each<[string, Build]>([
    ['beside the file', { map: MAP }],
    ['within the file', { comment: inline(MAP) }],
    [
      'as text within the file',
      { comment: `//# sourceMappingURL=data:application/json,${encodeURIComponent(JSON.stringify(MAP))}` },
    ],
    ['in an older comment', { map: MAP, comment: '//@ sourceMappingURL=app.js.map' }],
    ['by the name of the file', { map: MAP, comment: '' }],
    ['with sections', { map: { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: MAP }] } }],
    [
      'by an encoded name with a query',
      { map: MAP, mapName: 'a b.map', comment: '//# sourceMappingURL=a%20b.map?v=2' },
    ],
    ['with Windows line ends', { map: MAP, comment: '//# sourceMappingURL=app.js.map\r' }],
    ['by the name of the file, which the map does not say', { map: { ...MAP, file: undefined }, comment: '' }],
  ])('by a map %s', (_where, built) => {
    build(built);
    expect(answer()).toMatchObject({ ...MAPPED, fileName: path.join(directory, 'src/trace.ts') });
  });

  test('and a function without a name keeps what V8 calls it', () => {
    const code = 'o.t=function(e){return e.find(b)}';
    const mappings = encode([
      [
        [0, 0, 15, 0],
        [4, 0, 15, 0],
        [13, 0, 15, 9, 0],
        [23, 0, 16, 9, 1],
      ],
    ]);
    build({ code, map: { ...MAP, names: ['traces', 'find'], mappings } });
    const place = { columnNumber: 26, functionColumnNumber: 5 };
    expect(answer({ ...call, ...place })).toMatchObject({ functionName: '', lineNumber: 17 });
  });

  test.each([
    [
      "without its class, whose name is a minifier's, also in a short line",
      'class p{t(a){return a.find(b)}}',
      'p.t',
      't',
    ],
    ['with its class, whose short name the source has', 'class p{t(a) {return a.find(b)}}', 'p.t', ''],
    ['with its class, whose name is longer', 'class Map2{t(a){return a.find(b)}}', 'Map2.t', ''],
  ])('a method is named %s', (_how, code, functionName, expected) => {
    const start = code.indexOf('(');
    const mappings = encode([
      [
        [0, 0, 14, 0],
        [start, 0, 15, 9],
        [start + 4, 0, 16, 9],
        [start + 13, 0, 16, 14],
      ],
    ]);
    build({ code, map: { ...MAP, mappings } });
    const place = { functionName, columnNumber: start + 14, functionColumnNumber: start + 1 };
    expect(answer({ ...call, ...place })).toMatchObject({ functionName: expected, lineNumber: 17 });
  });

  test('in a directory above, where webpack names it', () => {
    mkdirSync(path.join(directory, 'src'));
    writeFileSync(path.join(directory, 'src/trace.ts'), '');
    build({ map: { ...MAP, sources: ['webpack://shop/./src/trace.ts'] } });
    expect(answer()).toMatchObject({ ...MAPPED, fileName: path.join(directory, 'src/trace.ts') });
  });

  test('as a URL, where webpack names a file that is not here', () => {
    build({ map: { ...MAP, sources: ['webpack://shop/./src/trace.ts'] } });
    expect(answer()).toMatchObject({ fileName: 'webpack://shop/./src/trace.ts' });
  });
});

describe('a frame has no source', () => {
  test.each<[string, Build]>([
    ['without a map', {}],
    ['without a map and a comment', { comment: '' }],
    ['with a broken map', { map: '{"version":3,' }],
    ['with broken mappings', { map: { ...MAP, mappings: '!' } }],
    ['with a map of another server', { map: MAP, comment: '//# sourceMappingURL=https://example.com/app.js.map' }],
    ['with a map of another file that nobody names', { map: { ...MAP, file: 'other.js' }, comment: '' }],
    ['with a map that goes beyond its line', { map: { ...MAP, mappings: `${MAP.mappings},gBAAA` } }],
    ['with sources that are no texts', { map: { ...MAP, sources: [['../src/trace.ts']] } }],
    [
      'with a comment that does not end the file',
      { map: MAP, mapName: 'a.map', comment: `//# sourceMappingURL=a.map\n${'//\n'.repeat(1000)}` },
    ],
  ])('%s', (_why, built) => {
    build(built);
    expect(answer()).toBe('none');
  });

  test('with a map that is older than its file', () => {
    build({ map: MAP });
    utimesSync(`${file}.map`, new Date(), new Date(Date.now() - 60_000));
    expect(answer()).toBe('none');
  });

  test('where the file was written after the process had started', () => {
    build({ map: MAP });
    expect(answer(call, Date.now() - 60_000)).toBeUndefined();
  });

  test('where a pipe or a device has the place of the map', () => {
    build({});
    execFileSync('mkfifo', [`${file}.map`]);
    expect(answer()).toBe('none');
    rmSync(`${file}.map`);
    symlinkSync('/dev/zero', `${file}.map`);
    expect(answer()).toBe('none');
  });

  test('where a pipe has the place of the file', () => {
    execFileSync('mkfifo', [file]);
    expect(answer()).toBeUndefined();
  });
});

describe('a frame is of compiled code, which the file does not show,', () => {
  test.each([
    ['beyond the end of a line', { columnNumber: 80 }],
    ['beyond the last line', { lineNumber: 9 }],
    ['in white space', { columnNumber: 9 }],
    ['in a function that begins at the end of a line', { functionColumnNumber: 32 }],
  ])('%s', (_where, place) => {
    build({ map: MAP });
    expect(answer({ ...call, ...place })).toBe('compiled');
  });
});

describe('the hash of the code that runs', () => {
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

  test('proves that it is compiled code, where its positions could be those of the file', () => {
    build({ map: MAP });
    expect(answer({ ...call, scriptHash: hashOf(`${CODE}\n// compiled`) })).toBe('compiled');
  });

  test('proves that it is the code of the file', () => {
    build({ map: MAP });
    expect(answer({ ...call, scriptHash: hashOf(readFileSync(file, 'utf8')) })).toMatchObject(MAPPED);
  });

  test('is that of the text without its byte order mark', () => {
    build({ code: `\uFEFF${CODE}`, comment: '' });
    expect(answer({ ...call, scriptHash: hashOf(`${CODE}\n\n`) })).toBe('none');
  });

  test('proves nothing of a file that is no text', () => {
    writeFileSync(file, Buffer.concat([Buffer.from(CODE), Buffer.from([0xff])]));
    expect(answer({ ...call, scriptHash: hashOf(readFileSync(file, 'utf8')) })).toBe('compiled');
  });
});

describe('under Jest, a frame has the line of its source', () => {
  const SOURCE = '// The spans of a trace.\n\nfunction t(a) {\n  return a.find(b);\n}\n';

  /** Jest's name of a compiled file, and its content. */
  function compile(key: string, source: string, line: number): void {
    const lines: [number, number, number, number][][] = [
      [
        [0, 0, line - 2, 0],
        [21, 0, line - 1, 9],
        [23, 0, line - 1, 11],
      ],
    ];
    const map = { version: 3, sources: ['app.js'], names: [], sourcesContent: [source], mappings: encode(lines) };
    const folder = path.join(directory, 'cache/jest-transform-cache-1/ab');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `app_${key}`), `${'0'.repeat(32)}\n${CODE}\n${inline(map)}`);
  }

  beforeEach(() => {
    writeFileSync(file, SOURCE);
  });

  test('by the map of what Jest has compiled from it', () => {
    compile('1', `${SOURCE}// earlier`, 9);
    compile('2', SOURCE, 4);
    const cache = path.join(directory, 'cache');
    const wanted = { fileName: file, lineNumber: 4, functionLineNumber: 3 };
    expect(answer(call, 0, cache)).toMatchObject(wanted);
    // The hash is that of the script in which Jest wraps it.
    expect(answer({ ...call, scriptHash: 'f'.repeat(64) }, 0, cache)).toMatchObject(wanted);
  });

  test('and is marked where it was compiled in two ways that do not agree', () => {
    compile('1', SOURCE, 4);
    compile('2', SOURCE, 5);
    expect(answer(call, 0, path.join(directory, 'cache'))).toBe('compiled');
  });

  test('or the mark that it is of compiled code, where Jest has kept nothing', () => {
    expect(answer({ ...call, columnNumber: 30 }, Infinity, path.join(directory, 'cache'))).toBe('compiled');
  });
});
