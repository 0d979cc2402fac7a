import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeBinary, workspaceNodeMajor } from '@loopwatch/node-binaries';
import { majorsOfTier } from '@loopwatch/test-support';
import { freePort } from '@loopwatch/test-support/free-port';

import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, fixture, runCli, startCli } from '../support/cli.js';

const LENGTH = /[\d.]+ m?s/.source;
const BLOCK_LINE = new RegExp(
  `^loopwatch \\d\\d:\\d\\d:\\d\\d\\.\\d{3} +${LENGTH} {2}\\w+ +burnCpu \\S*burn\\.cjs:\\d+`,
  'm',
);
const LAG_LINE = /^loopwatch Lag .* max ([\d.]+) (m?s)$/m;
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
  test.each(majorsOfTier)('reports the line that blocks, on Node.js %d', async (major) => {
    const { code, stdout, stderr } = await runCli(['run', '--', 'node', fixture('blocks.cjs')], { major });
    expect([code, stdout.toString()]).toEqual([0, 'done\n']);
    expect(stderr).toMatch(BLOCK_LINE);
    expect(stderr).toMatch(SUMMARY);
    expect(stderr).toMatch(
      new RegExp(`^loopwatch +\\d+ +${LENGTH} +${LENGTH} +\\d+ % {2}burnCpu \\S*burn\\.cjs:\\d+($|  stretched)`, 'm'),
    );
    expect(stderr).toMatch(/^loopwatch Lag p50 .*, p90 .*, p99 .*, max .*$/m);
  });

  // pnpm and workspaces link packages: loaded by two paths, a package exists twice, and has no exports on Node.js 20.
  test.each(majorsOfTier)(
    'loads a module behind a symbolic link from its real folder, on Node.js %d',
    async (major) => {
      await mkdir(path.join(directory, 'real'));
      await symlink('real', path.join(directory, 'linked'));
      const text = "exports.folder = require('node:path').basename(__dirname);\n";
      await writeFile(path.join(directory, 'real/module.cjs'), text);
      const main = path.join(directory, 'main.mjs');
      await writeFile(main, "import module from './linked/module.cjs';\nconsole.log(module.folder);\n");
      const { code, stdout } = await runCli(['run', '--', 'node', main], { major });
      expect([code, stdout.toString()]).toEqual([0, 'real\n']);
    },
  );

  test.each(majorsOfTier)('is no reason for a warning about listeners, on Node.js %d', async (major) => {
    const { code, stdout, stderr } = await runCli(['run', '-q', '--', 'node', fixture('many-listeners.cjs')], {
      major,
    });
    // The default, in the main thread and in a worker.
    expect([code, stdout.toString(), stderr]).toEqual([0, 'limit 10\nlimit 10\n', '']);
  });

  test.each(majorsOfTier)('is not counted in a warning about listeners, on Node.js %d', async (major) => {
    const program = fixture('too-many-listeners.cjs');
    const alone = spawnSync(nodeBinary(major), [program]);
    const { code, stdout, stderr } = await runCli(['run', '-q', '--', 'node', program], { major });
    const withoutPid = (text: string): string => text.replaceAll(/\(node:\d+\)/g, '(node)');
    expect(stdout.toString()).toMatch(/^main: Possible .* 11 exit listeners added .* MaxListeners is 10\b/m);
    expect([code, stdout.toString(), withoutPid(stderr)]).toEqual([
      alone.status,
      alone.stdout.toString(),
      withoutPid(alone.stderr.toString()),
    ]);
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

  test('does not instrument a package manager, also behind a link', async () => {
    const script = path.join(directory, 'lib/node_modules/npm/bin/npm-cli.js');
    await mkdir(path.dirname(script), { recursive: true });
    await writeFile(script, `setTimeout(() => require(${JSON.stringify(fixture('burn.cjs'))}).burnCpu(300), 100)`);
    await symlink(script, path.join(directory, 'npm'));
    const recording = await record(['node', path.join(directory, 'npm')]);
    expect([recording.processes, recording.blocks]).toEqual([[], []]);
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

  test('gets the port of its inspector', async () => {
    const port = await freePort();
    const env = { NODE_OPTIONS: `--inspect=${port}` };
    const { stdout } = await runCli(['run', '--', 'node', '-p', 'require("node:inspector").url()'], { env });
    expect(stdout.toString()).toMatch(new RegExp(`^ws://127\\.0\\.0\\.1:${port}/`));
  });

  test("leaves the program's `require` as Node.js made it", async () => {
    const program = 'console.log(require("node:module").prototype.require.toString())';
    const { stdout } = await runCli(['run', '--', 'node', '-e', program]);
    expect(stdout.toString()).not.toMatch(/patched|middle/i);
    expect(stdout.toString()).toContain('requireDepth');
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

  test("names the request by its route where the program's own SDK knows only its path", async () => {
    const file = path.join(directory, 'route.json');
    expectSuccess(await runCli(['run', '--json', file, '--', 'node', fixture('own-sdk-without-routes.mjs')]));
    const { blocks } = JSON.parse(await readFile(file, 'utf8')) as Recording;
    expect(blocks).toContainEqual(
      expect.objectContaining({ request: 'GET /runs/:id', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) }),
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

  test.each([
    ['its return', { code: 0, signal: null }],
    ['abort', { code: null, signal: 'SIGABRT' }],
    ['reallyExit', { code: 7, signal: null }],
    ['SIGTERM', { code: null, signal: 'SIGTERM' }],
    ['SIGKILL', { code: null, signal: 'SIGKILL' }],
  ])('in the callback that blocks, by %s, is as without, and the block and its lag are reported', async (how, end) => {
    const { code, signal, stderr } = await runCli(['run', '--', 'node', fixture('ends-in-block.cjs'), how]);
    expect({ code, signal }).toEqual(end);
    expect(stderr).toMatch(BLOCK_LINE);
    const [, lag, unit] = LAG_LINE.exec(stderr) ?? [];
    // The program computes for 700 ms of CPU time.
    expect(Number(lag) * (unit === 's' ? 1000 : 1)).toBeGreaterThan(200);
  });

  test('by a crash keeps the exit code and the error output', async () => {
    const { code, stderr } = await runCli(['run', '--', 'node', fixture('crash.cjs')]);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: on purpose');
    expect(stderr).toMatch(BLOCK_LINE);
  });

  test('by an asynchronous hook that throws, also at the end, keeps the exit code and the error output', async () => {
    const command = ['node', fixture('throwing-hook.cjs')];
    const alone = spawnSync(nodeBinary(workspaceNodeMajor), command.slice(1));
    const { code, stderr } = await runCli(['run', '-q', '--', ...command]);
    expect([code, stderr]).toEqual([1, alone.stderr.toString()]);
    expect(stderr).toContain('Error: thrown in a hook');
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
    await running.waitFor(/ hangForever \S*never-ends\.cjs:\d+ {2}still blocked/);
    running.child.kill('SIGTERM');
    expect((await running.result).signal).toBe('SIGTERM');
    const { blocks, exit } = JSON.parse(await readFile(file, 'utf8')) as Recording;
    expect(exit).toEqual({ signal: 'SIGTERM' });
    expect(blocks).toMatchObject([{ ended: false, culprit: { functionName: 'hangForever' } }]);
  });

  test('during an endless request names that request', async () => {
    const env = { LOOPWATCH_HANG_THRESHOLD_MS: '1000' };
    const running = startCli(['run', '--', 'node', fixture('hangs-in-request.cjs')], { env });
    await running.waitFor(/ spinForever \S*hangs-in-request\.cjs:\d+ {2}in GET \/reports\/7 {2}still blocked/);
    running.child.kill('SIGTERM');
    expect((await running.result).signal).toBe('SIGTERM');
  });

  test('leaves the temporary directory empty', async () => {
    const env = { TMPDIR: directory };
    await runCli(['run', '--', 'node', fixture('crash.cjs')], { env });
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('a program that cannot be started', () => {
  test.each([
    [
      'that does not exist',
      () => 'no-such-program',
      127,
      /^loopwatch: Program no-such-program not found\. Is it in the PATH\?\n$/,
    ],
    [
      'of a path that does not exist',
      () => './no/app.js',
      127,
      /Did you mean: loopwatch run -- node \.\/no\/app\.js\n$/,
    ],
    [
      'that is not executable',
      () => path.join(directory, 'a.js'),
      126,
      /a\.js is not executable\. If it is a script, use/,
    ],
    [
      'whose interpreter does not exist',
      () => path.join(directory, 'b'),
      126,
      /the interpreter that its first line names/,
    ],
    ['that is a directory', () => directory, 126, / is a directory\. If it is a package, use: loopwatch run -- node /],
    [
      'that is a whole command',
      () => 'node app.js',
      127,
      /Without quotes around all of it: loopwatch run -- node app\.js\n$/,
    ],
    [
      'with a space in its name',
      () => path.join(directory, 'a b.js'),
      126,
      /use: loopwatch run -- node '.*a b\.js'\n$/,
    ],
    ['without a name', () => '', 127, /The name of the program is empty/],
  ])('%s ends as a shell does', async (_which, program, expectedCode, message) => {
    await writeFile(path.join(directory, 'a.js'), '');
    await writeFile(path.join(directory, 'a b.js'), '');
    await writeFile(path.join(directory, 'b'), '#!/no/such/interpreter\n');
    await chmod(path.join(directory, 'b'), 0o755);
    const { code, stderr } = await runCli(['run', '--', program()]);
    expect(code).toBe(expectedCode);
    expect(stderr).toMatch(message);
  });
});

describe('--fail-on', () => {
  test('exits with code 3 and prints the reason when a block was longer', async () => {
    const { code, stderr } = await runCli(['run', '--quiet', '--fail-on', '200', '--', 'node', fixture('blocks.cjs')]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^loopwatch Failed: (One block was|\d+ blocks were) longer than 200 ms, the longest .* by burnCpu \S*burn\.cjs:\d+\.\n(loopwatch Start-up took .*\n)?$/,
    );
  });

  test('ignores shorter blocks', async () => {
    expectSuccess(await runCli(['run', '--quiet', '--fail-on', '30000', '--', 'node', fixture('blocks.cjs')]));
  });

  test('counts blocks below the threshold too', async () => {
    const options = ['--quiet', '--threshold', '20000', '--fail-on', '200'];
    const { code, stderr } = await runCli(['run', ...options, '--', 'node', fixture('blocks.cjs')]);
    expect(code).toBe(3);
    // On a host that gives the program a tenth of a CPU, the culprit is a guess.
    expect(stderr).toMatch(/longer than 200 ms, .* by (≈ )?burnCpu /);
  });

  test('refuses a limit below which blocks are not seen', async () => {
    const { code, stderr } = await runCli(['run', '--fail-on', '5', '--', 'node', fixture('quiet.cjs')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Expected at least 10 ms')]);
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
