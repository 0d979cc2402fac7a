import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mapStack } from '../../../src/monitor/source-map.js';
import type { Frame } from '../../../src/contract/model.js';
import { builtinFrame, frame, nodeFrame } from '../support/builders.js';

const PROGRAM = `interface Log { readonly id: number }
declare const take: () => unknown;

export let frames: unknown;

export function createSpans(logs: readonly Log[]): number {
  const longest = logs.length;
  frames = take();
  return longest;
}

function handleRequest(): number {
  const difference = (left: number, right: number): number => left - right - createSpans([{ id: 1 }]);
  return difference(2, 1) + difference(3, 1);
}

handleRequest();
`;

interface Outcome {
  readonly raw: Frame[];
  readonly mapped: Frame[];
}

let directory: string;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'loopwatch-maps-')));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Runs in a Node process of its own: Node knows no maps of the modules in Jest's registry. */
async function run(
  nodeArguments: readonly string[],
  mapMode: 'with' | 'without' | 'broken' = 'with',
): Promise<Outcome> {
  const child = path.resolve(import.meta.dirname, '../support/map-stack-in-child.mjs');
  const own = mkdtempSync(path.join(directory, 'app-'));
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeArguments, child, own, PROGRAM, mapMode], {
    timeout: 60_000,
  });
  return JSON.parse(stdout) as Outcome;
}

describe('with source maps', () => {
  let outcome: Outcome;

  beforeAll(async () => {
    outcome = await run(['--enable-source-maps']);
  }, 70_000);

  test('a frame of a bundle has the file that it was made from', () => {
    expect(outcome.raw[0]?.fileName).toContain('dist/app.mjs');
    expect(outcome.mapped[0]?.fileName).toMatch(/app-\w+\/src\/app\.ts$/);
    expect(path.isAbsolute(outcome.mapped[0]!.fileName)).toBe(true);
  });

  test('a frame has the line of the call in the source', () => {
    expect(outcome.mapped[0]?.lineNumber).toBe(8);
  });

  test('a function has its name from before it was minified', () => {
    expect(outcome.mapped[0]?.functionName).toBe('createSpans');
  });

  test('an arrow function has its own name, not that of what stands where the name of a declaration would', () => {
    expect(outcome.mapped[1]?.functionName).toBe('difference');
  });

  test('a frame without a map is unchanged', () => {
    expect(outcome.mapped.at(-1)?.functionName).toBe(outcome.raw.at(-1)?.functionName);
  });
});

test.each(['without', 'broken'] as const)(
  'a bundle in map mode "%s" keeps its frames, with a path for its URL',
  async (mapMode) => {
    const { raw, mapped } = await run(['--enable-source-maps'], mapMode);
    expect(mapped).toHaveLength(raw.length);
    expect(mapped[0]).toMatchObject({ functionName: raw[0]!.functionName, lineNumber: raw[0]!.lineNumber });
    expect(mapped[0]?.fileName).toMatch(/^\/.*dist\/app\.mjs$/);
  },
  70_000,
);

test('frames are those of the bundle where source maps are off', async () => {
  const { raw, mapped } = await run([]);
  expect(mapped[0]).toMatchObject({ functionName: raw[0]!.functionName, lineNumber: raw[0]!.lineNumber });
}, 70_000);

test('a frame that was mapped before is not mapped again', () => {
  const stack = [frame('work'), frame('handle')];
  const mapped = mapStack(stack);
  expect(mapStack(stack).every((again, i) => again === mapped[i])).toBe(true);
});

describe('frames that have no map', () => {
  test('of Node and V8 are unchanged', () => {
    const stack = [builtinFrame('Array.find'), nodeFrame('listOnTimeout'), frame('work')];
    expect(mapStack(stack)).toEqual(stack);
  });

  test('have a path for a file URL, and keep any other URL', () => {
    const names = [
      'file:///srv/app/a%20b.mjs',
      'file://host%2Fodd',
      'https://cdn.example.com/x.js',
      'evalmachine.<anonymous>',
    ];
    const mapped = mapStack(names.map((fileName) => frame('work', { fileName })));
    expect(mapped.map(({ fileName }) => fileName)).toEqual(['/srv/app/a b.mjs', ...names.slice(1)]);
  });
});

test.each([
  'webpack-internal:///./src/math.ts',
  'webpack-internal:///(rsc)/./src/app/page.tsx',
  'webpack://shop/./src/math.ts?',
])('a line of %s, which webpack evaluates as text, is one of compiled code', (fileName) => {
  expect(mapStack([frame('work', { fileName })])).toEqual([frame('work', { fileName, isCompiled: true })]);
});

test('a line of text that the application evaluates under a name of its own is that of the text', () => {
  expect(mapStack([frame('work', { fileName: 'rules/score.js' })])[0]).not.toHaveProperty('isCompiled');
});
