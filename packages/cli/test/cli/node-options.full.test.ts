import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { nodeBinary, type NodeMajor } from '@loopwatch/node-binaries';
import { combinations } from '@loopwatch/test-support';

import { fixture, runCli } from '../support/cli.js';

const BLOCKS = fixture('reads-and-blocks.cjs');
const THROWS = fixture('crash.cjs');

/** What Node.js says about a process, and what would have it fail by a small change of the process. */
const COMMANDS: readonly (readonly string[])[] = [
  ['--trace-sync-io', fixture('two-lines.cjs')],
  ['--check', BLOCKS],
  ['--check', fixture('no-javascript.cjs')],
  ['--check', fixture('no-javascript.mjs')],
  [fixture('no-javascript.cjs')],
  ['--trace-warnings', '--trace-deprecation', '--pending-deprecation', '--throw-deprecation', BLOCKS],
  ['--trace-exit', BLOCKS],
  ['--trace-exit', THROWS],
  ['--trace-uncaught', THROWS],
  ['--unhandled-rejections=strict', BLOCKS],
  ['--frozen-intrinsics', BLOCKS],
  ['--disable-proto=throw', BLOCKS],
  ['--disallow-code-generation-from-strings', BLOCKS],
  ['--jitless', BLOCKS],
  ['--single-threaded', BLOCKS],
  ['--max-old-space-size=40', BLOCKS],
  ['--stack-size=200', BLOCKS],
  ['--stack-trace-limit=1', THROWS],
  ['--env-file', fixture('node-options.env'), THROWS],
  ['--track-heap-objects', BLOCKS],
  ['--cpu-prof', '--cpu-prof-name=main.cpuprofile', BLOCKS],
  ['--heap-prof', '--heap-prof-name=main.heapprofile', BLOCKS],
  ['--report-uncaught-exception', '--report-filename=report.json', THROWS],
  ['--experimental-vm-modules', '--no-warnings', BLOCKS],
  ['--conditions', 'development', BLOCKS],
  ['--import', 'data:text/javascript,console.log("imported")', BLOCKS],
  ['--no-such-option', BLOCKS],
];

interface Place extends AsyncDisposable {
  readonly directory: string;
}

/** A working directory of a test, which is removed after it. */
async function newPlace(): Promise<Place> {
  const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch test '));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly string[];
}

async function plain({ directory }: Place, major: NodeMajor, args: readonly string[]): Promise<Omit<Result, 'files'>> {
  const { NODE_OPTIONS: _options, FORCE_COLOR: _color, ...env } = process.env;
  const searchPath = `${path.dirname(nodeBinary(major))}:${env.PATH ?? ''}`;
  return new Promise((resolve) => {
    const child = execFile(
      'node',
      args,
      { cwd: directory, env: { ...env, PATH: searchPath } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode, stdout, stderr });
      },
    );
  });
}

async function underRun(
  { directory }: Place,
  major: NodeMajor,
  args: readonly string[],
): Promise<Omit<Result, 'files'>> {
  const { code, stdout, stderr } = await runCli(['run', '--', 'node', ...args], { major, cwd: directory });
  return { code, stdout: stdout.toString(), stderr: stderr.replace(/^loopwatch .*\n/gm, '') };
}

/** Ids of processes and addresses differ between two runs. */
async function resultOf(run: typeof plain, place: Place, major: NodeMajor, args: readonly string[]): Promise<Result> {
  const { directory } = place;
  const { code, stdout, stderr } = await run(place, major, args);
  const files = await readdir(directory);
  await Promise.all(files.map((file) => rm(path.join(directory, file))));
  return { code, stdout, stderr: stderr.replace(/\(node:\d+\)/g, '(node:PID)'), files: files.sort() };
}

/** The two majors share the commands in a run on all combinations; a job for one has each command on both. */
const isShared = combinations.length > 1;
const byMajor = ([20, 24] as const).flatMap((major, turn) =>
  COMMANDS.filter((_, i) => !isShared || i % 2 === turn).map((args) => [nameOf(args), major, args] as const),
);

function nameOf(args: readonly string[]): string {
  return args.map((arg) => path.basename(arg)).join(' ');
}

describe('what a program prints, leaves and ends with is as without `run`', () => {
  test.concurrent.each(byMajor)('with %s, on Node.js %d', async (_name, major, args) => {
    await using place = await newPlace();
    const expected = await resultOf(plain, place, major, args);
    expect(await resultOf(underRun, place, major, args)).toEqual(expected);
  });
});

test('with --trace-env, no variable that Loopwatch reads is printed', async () => {
  await using place = await newPlace();
  const { stderr } = await underRun(place, 24, ['--trace-env', BLOCKS]);
  expect(stderr).toContain('[--trace-env] get "HOME"');
  expect(stderr).not.toMatch(/LOOPWATCH|OTEL|get "NODE_OPTIONS"/);
});

test.each([20, 24] as const)(
  'with NODE_V8_COVERAGE, only the threads of the program have a file, on Node.js %d',
  async (major) => {
    await using place = await newPlace();
    const { directory } = place;
    const program = ['sh', '-c', `NODE_V8_COVERAGE=. exec node "$0"`, BLOCKS];
    await runCli(['run', '--', ...program], { major, cwd: directory });
    expect(await readdir(directory)).toHaveLength(2); // main thread and worker
  },
);
