import module from 'node:module';
import process from 'node:process';
import vm from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LoaderCheck } from '../../../src/probe/loader-check.js';

const extensions = (module as unknown as { _extensions: Record<string, unknown> })._extensions;
const before = { ...extensions };
const environment = { ...process.env };
const { argv, execArgv } = process;

beforeEach(() => {
  // Jest runs this test: its workers have its variable.
  for (const name of ['JEST_WORKER_ID', 'VITEST', 'NODE_OPTIONS']) Reflect.deleteProperty(process.env, name);
  Object.assign(process, { argv: ['node', '/srv/app/main.js'], execArgv: [] });
});

afterEach(() => {
  for (const name of Object.keys(extensions)) Reflect.deleteProperty(extensions, name);
  Object.assign(extensions, before);
  Object.assign(process.env, environment);
  Reflect.deleteProperty(process.env, 'VITEST');
  if (environment.VITEST !== undefined) process.env.VITEST = environment.VITEST;
  Object.assign(process, { argv, execArgv });
});

const answer = (fileName: string): boolean => new LoaderCheck().mayBeCompiled(fileName);

describe('without a loader, the code that runs is that of the file', () => {
  test.each(['/srv/app/dist/app.js', '/srv/app/main.mjs', 'file:///srv/app/main.cjs', 'C:\\app\\main.js'])(
    '%s',
    (file) => {
      expect(answer(file)).toBe(false);
    },
  );

  test('also of a TypeScript file whose types Node.js removes', () => {
    // Node.js 24 runs this test.
    expect(answer('/srv/app/main.ts')).toBe(false);
  });
});

describe('code may be compiled in memory', () => {
  test.each(['/srv/app/view.tsx', '/srv/app/view.jsx', '/srv/app/page.vue'])(
    'of a file that Node.js cannot run: %s',
    (file) => {
      expect(answer(file)).toBe(true);
    },
  );

  test.each([
    ['pirates', '(function newLoader(mod, filename) { mod._compile = function _compile(code) {}; })'],
    ['ts-node', '(function (m, filename) { m._compile = function (code, fileName) {}; })'],
  ])('with the hook of %s for require', (_name, text) => {
    extensions['.ts'] = vm.runInThisContext(text);
    expect(answer('/srv/app/main.ts')).toBe(true);
    expect(answer('/srv/app/main.js')).toBe(true);
  });

  test.each([
    ['--import', '@swc-node/register/esm-register'],
    ['--loader', 'ts-node/esm'],
  ])('with %s %s', (...args) => {
    process.execArgv = args;
    expect(answer('/srv/app/main.ts')).toBe(true);
  });

  test('in Vitest, also in a JavaScript file', () => {
    process.env.VITEST = 'true';
    expect(answer('/srv/app/main.js')).toBe(true);
    expect(answer('/srv/app/node_modules/a/main.js')).toBe(false);
  });
});

test.each([
  ['--import', '/srv/vite-app/telemetry.mjs'],
  ['--import=file:///srv/babel/telemetry.mjs'],
  ['--import', './swc.mjs'],
])('a folder or file of the application with the name of a loader is none: %s %s', (...args) => {
  process.execArgv = args;
  process.argv = ['node', '/srv/vite-app/main.ts'];
  expect(answer('/srv/vite-app/main.ts')).toBe(false);
});

test('a program of a package may be a loader', () => {
  process.argv = ['node', '/srv/app/node_modules/vite/bin/vite.js'];
  expect(answer('/srv/app/main.ts')).toBe(true);
});

test('names of files that are none, and of installed packages, are not compiled', () => {
  expect(['', 'node:fs', 'evalmachine.<anonymous>', '/srv/node_modules/a/b.ts'].map(answer)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('a process without arguments loses no answer', () => {
  Object.assign(process, { argv: undefined, execArgv: undefined });
  expect(answer('/srv/app/main.js')).toBe(false);
});
