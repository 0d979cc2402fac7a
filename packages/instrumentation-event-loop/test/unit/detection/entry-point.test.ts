import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

/* Node loads and evaluates the entry point of a process, so each test is a process. */

const source = path.join(import.meta.dirname, '../../../src/detection/entry-point.ts');
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-entry-'));
  // In a process of its own: Rolldown does not know the objects of Jest's realm.
  const options = JSON.stringify({ format: 'cjs', file: path.join(directory, 'entry-point.js') });
  const build = `import { rolldown } from 'rolldown';
    const bundle = await rolldown({ input: ${JSON.stringify(source)}, platform: 'node', external: /^node:/ });
    await bundle.write(${options});`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', build], { cwd: import.meta.dirname });
  const write = (name: string, text: string): void => {
    writeFileSync(path.join(directory, name), text);
  };
  write(
    'preload.cjs',
    "require('./entry-point.js').whenEntryPointEvaluated(() => console.log(`evaluated ${globalThis.step}`))",
  );
  write(
    'main.cjs',
    "globalThis.step = 'begun'; setImmediate(() => (globalThis.step = 'loop')); globalThis.step = 'end'",
  );
  write('dependency.mjs', 'export default 1');
  write('main.mjs', "import './dependency.mjs'; import './main.cjs'; globalThis.step = 'end'");
  write('awaiting.mjs', "await new Promise((resolve) => setTimeout(resolve, 30)); globalThis.step = 'awaited'");
  write('programmatic.cjs', "globalThis.step = 'begun'; require('./preload.cjs'); globalThis.step = 'end'");
  write('programmatic.mjs', "import './preload.cjs'; import './main.cjs'; globalThis.step = 'end'");
  write('late.cjs', "globalThis.step = 'end'; setTimeout(() => require('./preload.cjs'), 30)");
  write('in-worker.cjs', "new (require('worker_threads').Worker)(require('path').resolve(process.argv[2]))");
  write('leaves-no-listener.cjs', "process.on('exit', () => console.log(process.listenerCount('removeListener')))");
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function outputOf(...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory });
  return stdout.trim().split('\n');
}

test.each([
  ['a CommonJS entry point', ['--require', './preload.cjs', 'main.cjs'], 'end'],
  ['a CommonJS entry point with --import', ['--import', './preload.cjs', 'main.cjs'], 'end'],
  ['an ES module', ['--require', './preload.cjs', 'main.mjs'], 'end'],
  ['an ES module with --import', ['--import', './preload.cjs', 'main.mjs'], 'end'],
  ['an ES module with a top-level await', ['--require', './preload.cjs', 'awaiting.mjs'], 'awaited'],
  ['a CommonJS entry point that calls it itself', ['programmatic.cjs'], 'end'],
  ['an ES module that calls it itself', ['programmatic.mjs'], 'end'],
  ['a program that calls it later', ['late.cjs'], 'end'],
])('calls back when %s has been evaluated', async (_, args, step) => {
  expect(await outputOf(...args)).toEqual([`evaluated ${step}`]);
});

test.each(['main.cjs', 'main.mjs'])('calls back in a worker thread that runs %s, too', async (program) => {
  expect(await outputOf('--require', './preload.cjs', 'in-worker.cjs', program)).toEqual([
    'evaluated undefined',
    'evaluated end',
  ]);
});

test('leaves no listener behind', async () => {
  const [plain] = await outputOf('leaves-no-listener.cjs');
  expect(await outputOf('--require', './preload.cjs', 'leaves-no-listener.cjs')).toEqual([
    'evaluated undefined',
    plain,
  ]);
});
