import { describe, expect, test } from '@jest/globals';
import type { Frame } from '../../../src/contract/model.js';
import { loaderHooksAmong } from '../../../src/contract/loader-hooks.js';
import { builtinFrame, dependencyFrame, frame, nodeFrame } from '../support/builders.js';

const loader = (name: string): Frame => nodeFrame(name, { fileName: 'node:internal/modules/cjs/loader' });
const helper = (name: string): Frame => nodeFrame(name, { fileName: 'node:internal/modules/helpers' });
const moduleCode = frame('Object.<anonymous>', { fileName: '/srv/app/a.js' });
const hook = (name: string): Frame => dependencyFrame(name, { fileName: '/srv/app/node_modules/pirates/index.js' });

/** A load of `moduleCode` by `moduleCode`, with hooks of `require`, `_load`, `.js` and `_compile`. */
const onNode20 = [
  moduleCode,
  loader('Module._compile'),
  hook('Module.hookCompile'),
  loader('Module._extensions..js'),
  hook('Object.hookExtension [as .js]'),
  loader('Module.load'),
  loader('Module._load'),
  hook('Function.hookLoad [as _load]'),
  loader('Module.require'),
  hook('Module.hookRequire [as require]'),
  helper('require'),
  moduleCode,
  loader('Module._compile'),
];
const sinceNode22 = [
  moduleCode,
  loader('Module._compile'),
  hook('Module.hookCompile'),
  loader('<anonymous>'),
  hook('Object.hookExtension [as .js]'),
  loader('Module.load'),
  loader('Module.<anonymous>'),
  hook('Module.hookLoad [as _load]'),
  loader('wrapModuleLoad'),
  loader('Module.<anonymous>'),
  hook('Module.hookRequire [as require]'),
  helper('require'),
  moduleCode,
  loader('Module._compile'),
];

const namesOf = (frames: readonly Frame[]): string[] =>
  loaderHooksAmong(frames).map((index) => frames[index]!.functionName);

describe('a function that Node calls in the place of its module loader, and that calls it', () => {
  test.each([
    ['20', onNode20],
    ['22 to 26', sinceNode22],
  ])('is a hook, whichever part it replaces, on Node.js %s', (_, frames) => {
    expect(namesOf(frames)).toEqual(
      frames
        .filter(({ functionName }) => functionName.includes('hook'))
        .map(({ functionName }) => functionName)
        .reverse(),
    );
  });

  test('is a hook in the application, too', () => {
    const own = frame('Module.hookRequire [as require]');
    expect(namesOf([loader('Module.require'), own, helper('require')])).toEqual([own.functionName]);
  });

  test('is a hook where another hook stands between', () => {
    const frames = [loader('Module.require'), hook('inner'), hook('outer'), helper('require'), moduleCode];
    expect(namesOf(frames)).toEqual(['outer', 'inner']);
  });

  test('is a hook where it replaces what resolves a name', () => {
    expect(namesOf([loader('Module._resolveFilename'), hook('resolve'), loader('Module._load')])).toEqual(['resolve']);
    expect(namesOf([loader('Module._resolveFilename'), hook('resolve'), helper('require.resolve')])).toEqual([
      'resolve',
    ]);
  });
});

describe('the loader that a bundler writes into a bundle', () => {
  test.each(['__webpack_require__', '__nccwpck_require__'])('is a hook: %s', (name) => {
    const inBundle = frame(name, { fileName: '/srv/dist/server.js' });
    expect(namesOf([frame('2418'), inBundle, frame('1713'), inBundle, moduleCode])).toEqual([name, name]);
  });

  test.each(['__require', '__require2', '__init'])(
    'is one that calls the function of a module: %s of esbuild',
    (name) => {
      const load = frame(name);
      expect(loaderHooksAmong([frame('src/lib/a.ts'), load, frame('node_modules/b/index.js'), load])).toEqual([1, 3]);
    },
  );

  test('is no function of the program with such a name, which calls no module', () => {
    const calls = [[frame('work'), frame('__init')], [frame('a.js'), frame('__initialize')], [frame('__require')]];
    expect(calls.map((frames) => loaderHooksAmong(frames))).toEqual([[], [], []]);
  });
});

describe('not a hook is', () => {
  test.each([
    ['the code of a module that requires another', [helper('require'), moduleCode, loader('Module._compile')]],
    [
      'the code of a module that calls the loader itself',
      [loader('Module.require'), frame('load'), moduleCode, loader('Module._compile')],
    ],
    ['a function that loads plugins', [loader('Module._load'), frame('loadPlugin'), nodeFrame('processTimers')]],
    ['a hook that compiles', [dependencyFrame('transform'), hook('hookCompile'), loader('Module.load')]],
    ['a hook whose compiler sorts', [builtinFrame('Array.sort'), hook('hookCompile'), loader('Module.load')]],
    ['a hook that requires its compiler', [helper('require'), hook('hookCompile'), loader('Module.load')]],
    ['a hook that runs itself', [hook('hookRequire'), helper('require'), moduleCode]],
    ['a caller of an asynchronous load', [loader('Module._load'), frame('f'), { ...loader('load'), isAsync: true }]],
    ['a stack without callers', [frame('f')]],
    ['an empty stack', []],
  ])('%s', (_, frames) => {
    expect(loaderHooksAmong(frames)).toEqual([]);
  });
});

test.each(['/srv/app/.pnp.cjs', 'file:///srv/app/.pnp.loader.mjs', 'C:\\app\\.pnp.cjs'])(
  "all functions of Yarn's Plug'n'Play are hooks, also those that read a zip file: %s",
  (fileName) => {
    const yarn = (name: string): Frame => frame(name, { fileName });
    const resolving = [
      nodeFrame('readFileSync', { fileName: 'node:fs' }),
      yarn('getMountSync'),
      yarn('resolveRequest'),
    ];
    expect(loaderHooksAmong([...resolving, loader('wrapResolveFilename'), helper('require'), moduleCode])).toEqual([
      1, 2,
    ]);
  },
);

test("a module of the program with such a word in its name is no part of Yarn's Plug'n'Play", () => {
  expect(loaderHooksAmong([frame('f', { fileName: '/srv/app/my.pnp.cjs' })])).toEqual([]);
});
