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
// On a loaded machine CPU starvation may add blocks: the number of blocks is not checked.
const SUMMARY = /^loopwatch \d+ blocks? by \d+ culprits? in /m;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch test '));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Runs the command and returns the recording that `--json` writes. */
async function record(command: readonly string[], options: Parameters<typeof runCli>[1] = {}): Promise<Recording> {
  const file = path.join(directory, 'out.json');
  await runCli(['run', '--json', file, '--', ...command], options);
  return JSON.parse(await readFile(file, 'utf8')) as Recording;
}

const culpritsOf = ({ blocks }: Recording): (string | undefined)[] =>
  blocks.map(({ culprit }) => culprit?.functionName);

describe('loopwatch run', () => {
  test.each(nodeMajors)('reports the line that blocks, on Node.js %d', async (major) => {
    const { code, stdout, stderr } = await runCli(['run', '--', 'node', fixture('blocks.cjs')], { major });
    expect([code, stdout.toString()]).toEqual([0, 'done\n']);
    expect(stderr).toMatch(BLOCK_LINE);
    expect(stderr).toMatch(SUMMARY);
    expect(stderr).toMatch(
      new RegExp(`^loopwatch +\\d+ +${LENGTH} +${LENGTH} +\\d+ % {2}burnCpu \\S*burn\\.cjs:\\d+$`, 'm'),
    );
    expect(stderr).toMatch(/^loopwatch Lag p50 .*, p90 .*, p99 .*, max .*$/m);
  });

  test('reports that nothing blocked', async () => {
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
    ['a program that npm starts', ['npm', '--prefix', fixture('npm'), 'start']],
  ])('instruments %s', async (_what, command) => {
    const recording = await record(command);
    expect(culpritsOf(recording)).toContain('burnCpu');
  });

  test('instruments child processes and worker threads, and distinguishes them', async () => {
    const recording = await record(['node', fixture('children.cjs')]);
    const services = new Map(recording.processes.map(({ id, service }) => [id, service]));
    const where = recording.blocks.map(({ instance, threadName }) => `${services.get(instance) ?? '?'} ${threadName}`);
    expect([...new Set(where)].sort()).toEqual(
      expect.arrayContaining(['blocks.cjs main', 'children.cjs cruncher', 'module.mjs main']),
    );
  });

  test('keeps the present NODE_OPTIONS', async () => {
    const env = { NODE_OPTIONS: '--stack-trace-limit=33' };
    const { stdout } = await runCli(['run', '--', 'node', '-p', 'Error.stackTraceLimit'], { env });
    expect(stdout.toString()).toBe('33\n');
  });

  test("leaves the program's `require` as Node.js made it", async () => {
    const program = 'console.log(require("node:module").prototype.require.toString())';
    const { stdout } = await runCli(['run', '--', 'node', '-e', program]);
    expect(stdout.toString()).not.toMatch(/patched|middle/i);
    expect(stdout.toString()).toContain('Module._load');
  });

  test("does not disturb the program's own SDK, and names the request by its spans", async () => {
    const file = path.join(directory, 'own.json');
    const { stdout } = await runCli(['run', '--json', file, '--', 'node', fixture('own-sdk.mjs')]);
    expect(stdout.toString()).toBe('["GET /slow"] NoopMeterProvider\n');
    const { blocks } = JSON.parse(await readFile(file, 'utf8')) as Recording;
    expect(blocks).toContainEqual(
      expect.objectContaining({ request: 'GET /slow', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) }),
    );
  });

  test('instruments despite OTEL_SDK_DISABLED, and keeps the variable for the program', async () => {
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

describe('the input and output of the program', () => {
  test('pass through unchanged, every byte, in both directions', async () => {
    const input = randomBytes(300_000);
    const plain = Buffer.alloc(256 * 1024, Buffer.from(Array.from({ length: 256 }, (_, index) => index)));
    const { stdout, stderr, code } = await runCli(['run', '--quiet', '--', 'node', fixture('binary.cjs')], { input });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.equals(Buffer.concat([plain, input]))).toBe(true);
  });

  test('may go to a pipe whose reader stops reading', async () => {
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

describe('the end of the program', () => {
  test('by process.exit during a block keeps the exit code and reports the block', async () => {
    const { code, stderr } = await runCli(['run', '--', 'node', fixture('exit-in-block.cjs')]);
    expect(code).toBe(7);
    expect(stderr).toMatch(BLOCK_LINE);
  });

  test('by a crash keeps the exit code and the error output', async () => {
    const { code, stderr } = await runCli(['run', '--', 'node', fixture('crash.cjs')]);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: on purpose');
    expect(stderr).toMatch(BLOCK_LINE);
  });

  test('by SIGKILL ends the CLI by the same signal, and no block is lost', async () => {
    const { signal, stderr } = await runCli(['run', '--', 'node', fixture('killed.cjs')]);
    expect(signal).toBe('SIGKILL');
    expect(stderr).toMatch(BLOCK_LINE);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s is left to the handler of the program, and the summary follows',
    async (signal) => {
      const running = startCli(['run', '--', 'node', fixture('until-signal.cjs')]);
      await running.waitFor(/ready/);
      running.child.kill(signal);
      const { code, stdout, stderr } = await running.result;
      expect([code, stdout.toString()]).toEqual([0, `ready\ngot ${signal}\n`]);
      expect(stderr).toMatch(SUMMARY);
    },
  );

  test('does not follow from a signal that the program handles otherwise', async () => {
    const running = startCli(['run', '--quiet', '--', 'node', fixture('until-signal.cjs')]);
    await running.waitFor(/ready/);
    running.child.kill('SIGUSR2');
    await running.waitFor(/got SIGUSR2/);
    running.child.kill('SIGTERM');
    expect((await running.result).stdout.toString()).toBe('ready\ngot SIGUSR2\ngot SIGTERM\n');
  });

  test('during an endless block is by a signal, and the hang is reported before', async () => {
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

  test('leaves the temporary directory empty', async () => {
    const env = { TMPDIR: directory };
    await runCli(['run', '--', 'node', fixture('crash.cjs')], { env });
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('--fail-on', () => {
  test('exits with code 3 and prints the reason when a block was longer', async () => {
    const { code, stderr } = await runCli(['run', '--quiet', '--fail-on', '200', '--', 'node', fixture('blocks.cjs')]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^loopwatch Failed: (One block was|\d+ blocks were) longer than 200 ms, the longest .* by burnCpu \S*burn\.cjs:\d+\.\n$/,
    );
  });

  test('ignores shorter blocks', async () => {
    const { code } = await runCli(['run', '--quiet', '--fail-on', '30000', '--', 'node', fixture('blocks.cjs')]);
    expect(code).toBe(0);
  });

  test('keeps the exit code of a program that fails', async () => {
    const { code, stderr } = await runCli(['run', '--fail-on', '200', '--', 'node', fixture('exit-in-block.cjs')]);
    expect(code).toBe(7);
    expect(stderr).toContain('longer than 200 ms');
  });

  test('fails for a server that a signal stops after its test', async () => {
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

describe('output files', () => {
  test('are written to the given paths, also with spaces', async () => {
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

  test('that cannot be written are reported as an error after the summary', async () => {
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
