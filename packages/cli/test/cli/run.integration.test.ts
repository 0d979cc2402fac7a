import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';

import type { Recording } from '../../src/model/recording.js';
import { fixture, runCli, startCli } from '../support/cli.js';

const LENGTH = /[\d.]+ m?s/.source;
const BLOCK_LINE = new RegExp(
  `^loopwatch \\d\\d:\\d\\d:\\d\\d\\.\\d{3} +${LENGTH} {2}\\w+ +burnCpu \\S*burn\\.cjs:\\d+ {2}in Timeout`,
  'm',
);
// On a loaded machine a program may be starved of CPU as well: a block of its own, which is none of a test's business.
const SUMMARY = /^loopwatch \d+ blocks? by \d+ culprits? in /m;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch test '));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Runs the command and returns what `--json` says of it. */
async function record(command: readonly string[], options: Parameters<typeof runCli>[1] = {}): Promise<Recording> {
  const file = path.join(directory, 'out.json');
  await runCli(['run', '--json', file, '--', ...command], options);
  return JSON.parse(await readFile(file, 'utf8')) as Recording;
}

const culpritsOf = ({ blocks }: Recording): (string | undefined)[] =>
  blocks.map(({ culprit }) => culprit?.functionName);

describe('loopwatch run', () => {
  test.each(nodeMajors)('names the line that blocks, on Node.js %d', async (major) => {
    const { code, stdout, stderr } = await runCli(['run', '--', 'node', fixture('blocks.cjs')], { major });
    expect([code, stdout.toString()]).toEqual([0, 'done\n']);
    expect(stderr).toMatch(BLOCK_LINE);
    expect(stderr).toMatch(SUMMARY);
    expect(stderr).toMatch(
      new RegExp(`^loopwatch +\\d+ +${LENGTH} +${LENGTH} +\\d+ % {2}burnCpu \\S*burn\\.cjs:\\d+$`, 'm'),
    );
    expect(stderr).toMatch(/^loopwatch Lag p50 .*, p90 .*, p99 .*, max .*$/m);
  });

  test('says so when nothing blocks', async () => {
    const { code, stderr } = await runCli(['run', '--threshold', '9000', '--', 'node', fixture('quiet.cjs')]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^loopwatch No block in /)]);
  });

  test.each([
    ['ES modules', ['node', fixture('module.mjs')]],
    ['TypeScript', ['node', fixture('typed.ts')]],
    [
      'code from the command line',
      ['node', '-e', `setTimeout(() => require(${JSON.stringify(fixture('burn.cjs'))}).burnCpu(300), 100)`],
    ],
    ['a program of npm', ['npm', '--prefix', fixture('npm'), 'start']],
  ])('watches %s', async (_what, command) => {
    const recording = await record(command);
    expect(culpritsOf(recording)).toContain('burnCpu');
  });

  test('watches child processes and worker threads, and tells them apart', async () => {
    const recording = await record(['node', fixture('children.cjs')]);
    const services = new Map(recording.processes.map(({ id, service }) => [id, service]));
    const where = recording.blocks.map(({ instance, threadName }) => `${services.get(instance) ?? '?'} ${threadName}`);
    expect([...new Set(where)].sort()).toEqual(
      expect.arrayContaining(['blocks.cjs main', 'children.cjs cruncher', 'module.mjs main']),
    );
  });

  test('keeps what NODE_OPTIONS holds already', async () => {
    const env = { NODE_OPTIONS: '--stack-trace-limit=33' };
    const { stdout } = await runCli(['run', '--', 'node', '-p', 'Error.stackTraceLimit'], { env });
    expect(stdout.toString()).toBe('33\n');
  });

  test('leaves an SDK of the program alone, and names the request from its spans', async () => {
    const file = path.join(directory, 'own.json');
    const { stdout } = await runCli(['run', '--json', file, '--', 'node', fixture('own-sdk.mjs')]);
    expect(stdout.toString()).toBe('["GET /slow"] NoopMeterProvider\n');
    const { blocks } = JSON.parse(await readFile(file, 'utf8')) as Recording;
    expect(blocks).toContainEqual(
      expect.objectContaining({ request: 'GET /slow', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) }),
    );
  });

  test('watches also where OTEL_SDK_DISABLED is set, and leaves the variable as it was', async () => {
    const env = { OTEL_SDK_DISABLED: 'true' };
    const { stdout, stderr } = await runCli(
      [
        'run',
        '--',
        'node',
        '-e',
        `require(${JSON.stringify(fixture('blocks.cjs'))}); console.log(process.env.OTEL_SDK_DISABLED)`,
      ],
      { env },
    );
    expect(stdout.toString()).toBe('true\ndone\n');
    expect(stderr).toMatch(BLOCK_LINE);
  });
});

describe('what the program says and hears', () => {
  test('passes through untouched, every byte, both ways', async () => {
    const input = randomBytes(300_000);
    const plain = Buffer.alloc(256 * 1024, Buffer.from(Array.from({ length: 256 }, (_, index) => index)));
    const { stdout, stderr, code } = await runCli(['run', '--quiet', '--', 'node', fixture('binary.cjs')], { input });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.equals(Buffer.concat([plain, input]))).toBe(true);
  });

  test('may be piped into something that stops reading', async () => {
    const running = startCli([
      'run',
      '--quiet',
      '--',
      'node',
      '-e',
      "process.stdout.on('error', () => process.exit(5)); setInterval(() => console.log('more'), 5)",
    ]);
    await running.waitFor(/more/);
    running.child.stdout!.destroy();
    expect((await running.result).code).toBe(5);
  });
});

describe('how the program ends', () => {
  test('by process.exit in the middle of a block is told, with the block', async () => {
    const { code, stderr } = await runCli(['run', '--', 'node', fixture('exit-in-block.cjs')]);
    expect(code).toBe(7);
    expect(stderr).toMatch(BLOCK_LINE);
  });

  test('by a crash is told as Node.js tells it', async () => {
    const { code, stderr } = await runCli(['run', '--', 'node', fixture('crash.cjs')]);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: on purpose');
    expect(stderr).toMatch(BLOCK_LINE);
  });

  test('by SIGKILL is told by the same signal, and no block is lost', async () => {
    const { signal, stderr } = await runCli(['run', '--', 'node', fixture('killed.cjs')]);
    expect(signal).toBe('SIGKILL');
    expect(stderr).toMatch(BLOCK_LINE);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('by %s is left to the program, and the summary follows', async (signal) => {
    const running = startCli(['run', '--', 'node', fixture('until-signal.cjs')]);
    await running.waitFor(/ready/);
    running.child.kill(signal);
    const { code, stdout, stderr } = await running.result;
    expect([code, stdout.toString()]).toEqual([0, `ready\ngot ${signal}\n`]);
    expect(stderr).toMatch(SUMMARY);
  });

  test('is not decided by a signal that it takes for something else', async () => {
    const running = startCli(['run', '--quiet', '--', 'node', fixture('until-signal.cjs')]);
    await running.waitFor(/ready/);
    running.child.kill('SIGUSR2');
    await running.waitFor(/got SIGUSR2/);
    running.child.kill('SIGTERM');
    expect((await running.result).stdout.toString()).toBe('ready\ngot SIGUSR2\ngot SIGTERM\n');
  });

  test('of one that never ends is by the signal it is sent, and its hang is told while it lasts', async () => {
    const file = path.join(directory, 'hang.json');
    const env = { LOOPWATCH_HANG_THRESHOLD_MS: '1000' };
    const running = startCli(['run', '--json', file, '--', 'node', fixture('never-ends.cjs')], { env });
    await running.waitFor(/ hangForever \S*never-ends\.cjs:\d+ {2}in Timeout {2}still blocked/);
    running.child.kill('SIGTERM');
    expect((await running.result).signal).toBe('SIGTERM');
    const { blocks, exit } = JSON.parse(await readFile(file, 'utf8')) as Recording;
    expect(exit).toEqual({ signal: 'SIGTERM' });
    expect(blocks).toMatchObject([{ ended: false, culprit: { functionName: 'hangForever' } }]);
  });

  test('leaves nothing behind in the temporary directory', async () => {
    const env = { TMPDIR: directory };
    await runCli(['run', '--', 'node', fixture('crash.cjs')], { env });
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('--fail-on', () => {
  test('exits with 3 and says why when something blocked for longer', async () => {
    const { code, stderr } = await runCli(['run', '--quiet', '--fail-on', '200', '--', 'node', fixture('blocks.cjs')]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^loopwatch Failed: (One block was|\d+ blocks were) longer than 200 ms, the longest .* by burnCpu \S*burn\.cjs:\d+\.\n$/,
    );
  });

  test('lets shorter blocks pass', async () => {
    const { code } = await runCli(['run', '--quiet', '--fail-on', '30000', '--', 'node', fixture('blocks.cjs')]);
    expect(code).toBe(0);
  });

  test("leaves the program's own failure as it is", async () => {
    const { code, stderr } = await runCli(['run', '--fail-on', '200', '--', 'node', fixture('exit-in-block.cjs')]);
    expect(code).toBe(7);
    expect(stderr).toContain('longer than 200 ms');
  });

  test('fails a server that is stopped after its test', async () => {
    const running = startCli([
      'run',
      '--quiet',
      '--fail-on',
      '200',
      '--',
      'node',
      '-e',
      `require(${JSON.stringify(fixture('burn.cjs'))}); setInterval(() => {}, 1000); setTimeout(() => { require(${JSON.stringify(fixture('burn.cjs'))}).burnCpu(300); setTimeout(() => console.log('ready'), 200) }, 100)`,
    ]);
    await running.waitFor(/ready/);
    running.child.kill('SIGTERM');
    expect((await running.result).code).toBe(3);
  });
});

describe('files', () => {
  test('are written to the paths that were asked for, spaces and all', async () => {
    const [report, json, speedscope] = ['a report.html', 'a.json', 'a.speedscope.json'].map((name) =>
      path.join(directory, name),
    );
    const { stderr } = await runCli([
      'run',
      '--report',
      report!,
      '--json',
      json!,
      '--speedscope',
      speedscope!,
      '--',
      'node',
      fixture('blocks.cjs'),
    ]);
    expect(stderr).toContain('Report: file:///');
    expect(await readFile(report!, 'utf8')).toMatch(/^<!doctype html>/);
    const recording = JSON.parse(await readFile(json!, 'utf8')) as Recording;
    expect(recording).toMatchObject({ schemaVersion: 1, exit: { code: 0 }, command: ['node', fixture('blocks.cjs')] });
    expect(recording.sources[fixture('burn.cjs')]).toBeDefined();
    expect(JSON.parse(await readFile(speedscope!, 'utf8'))).toMatchObject({ shared: { frames: expect.anything() } });
  });

  test('that cannot be written are an error, after the summary', async () => {
    const { code, stderr } = await runCli([
      'run',
      '--json',
      path.join(directory, 'no', 'a.json'),
      '--',
      'node',
      fixture('blocks.cjs'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/culprits? in [^]*loopwatch: Cannot write .*a\.json: ENOENT/);
  });
});
