import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Profile } from 'pprof-format';

import { parseFolded } from '../../src/model/stacks/flame.js';
import { parseLines } from '../../src/model/stacks/line-times.js';
import type { Recording } from '../../src/model/recording/recording.js';
import { fixture, runCli } from '../support/cli.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch test '));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('the command line in its files', () => {
  const SECRETS = [
    '--auth',
    'hidden-1',
    '-p',
    'hidden-2',
    '--header',
    'X-Api-Key: hidden-3',
    'https://a.example/?sig=hidden-4',
  ];
  const NAMES = ['run.json', 'run.html', 'run.speedscope.json', 'run.pb.gz'] as const;

  /** Records by all kinds of files. Returns what is in them, and what was printed. */
  async function record(
    options: readonly string[],
    command: readonly string[],
  ): Promise<{ recording: Recording; text: string }> {
    const [json, report, speedscope, pprof] = NAMES.map((name) => path.join(directory, name));
    const files = ['--json', json!, '--report', report!, '--speedscope', speedscope!, '--pprof', pprof!];
    const { stderr } = await runCli(['run', '-t', '20', ...options, ...files, '--', ...command]);
    const recording = await readFile(json!, 'utf8');
    const html = await readFile(report!, 'utf8');
    const [, embedded = ''] = /id="loopwatch-data">([^<]*)</.exec(html) ?? [];
    const unpacked = [Buffer.from(embedded, 'base64'), await readFile(pprof!)].map((bytes) =>
      gunzipSync(bytes).toString('latin1'),
    );
    const text = [stderr, recording, await readFile(speedscope!, 'utf8'), ...unpacked].join('\n');
    return { recording: JSON.parse(recording) as Recording, text };
  }

  test('is the program alone, whatever its arguments are called, and the files are for this user alone', async () => {
    const { recording, text } = await record([], ['node', '--no-warnings', fixture('blocks.cjs'), ...SECRETS]);
    expect(recording.command).toEqual(['node', fixture('blocks.cjs')]);
    expect(recording.processes.map(({ command }) => command)).toEqual([`node ${fixture('blocks.cjs')}`]);
    expect(text).not.toContain('hidden-');
    for (const name of NAMES) expect((await stat(path.join(directory, name))).mode & 0o777).toBe(0o600);
  });

  test('has no text that Node.js evaluates, and none of its arguments', async () => {
    const evaluated = "setTimeout(() => { for (const end = Date.now() + 200; Date.now() < end; ); 'hidden-0' }, 100)";
    const { recording, text } = await record([], ['node', '-e', evaluated, 'hidden-1', ...SECRETS]);
    expect(recording.command).toEqual(['node']);
    expect(recording.processes).toMatchObject([{ command: 'node', service: 'node' }]);
    expect(recording.blocks.length).toBeGreaterThan(0);
    expect(text).not.toContain('hidden-');
  });

  test('has all of them with --with-arguments', async () => {
    const command = ['node', '--no-warnings', fixture('blocks.cjs'), ...SECRETS];
    const { recording } = await record(['--with-arguments'], command);
    expect(recording.command).toEqual(command);
    expect(recording.processes.map(({ command: line }) => line)).toEqual([command.join(' ')]);
  });
});

describe('does not call it "no block" where nothing was watched:', () => {
  test.each([
    ['the program is not run by Node.js', ['true'], 24],
    ['the program clears NODE_OPTIONS', ['env', '-u', 'NODE_OPTIONS', 'node', fixture('quiet.cjs')], 24],
    [
      "Node's permissions do not include the temporary directory",
      ['node', '--permission', '--allow-fs-read=*', fixture('quiet.cjs')],
      24,
    ],
    [
      "Node's permissions do not include the temporary directory",
      ['node', '--experimental-permission', '--allow-fs-read=*', fixture('quiet.cjs')],
      20,
    ],
    [
      "Node's permissions do not include Loopwatch",
      ['node', '--experimental-permission', `--allow-fs-read=${fixture('')}`, fixture('quiet.cjs')],
      20,
    ],
    [
      "Node's permissions do not include Loopwatch",
      ['node', '--permission', `--allow-fs-read=${fixture('')}`, fixture('quiet.cjs')],
      24,
    ],
  ] as const)('%s (%j)', async (_why, command, major) => {
    const { code, stderr } = await runCli(['run', '--', ...command], { major });
    expect([code, stderr]).toEqual([0, expect.stringContaining('loopwatch Nothing was watched: ')]);
    expect(stderr).not.toContain('No block');
    const quiet = await runCli(['run', '-q', '--fail-on', '100', '--', ...command], { major });
    expect(quiet.stderr).toContain('loopwatch Nothing was watched: ');
  });
});

describe('output files', () => {
  test('are written to the given paths, also with spaces', async () => {
    const [report, json, speedscope, pprof] = ['a report.html', 'a.json', 'a.speedscope.json', 'a.pb.gz'].map((name) =>
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
      '--pprof',
      pprof!,
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
    const profile = Profile.decode(gunzipSync(await readFile(pprof!)));
    expect(profile.stringTable.strings).toEqual(expect.arrayContaining(['burnCpu', fixture('burn.cjs')]));
    expect(stderr).toContain(`Profile: ${pprof} (open it with go tool pprof)`);
  });

  test('have the time of each line of a block, and the source of these lines', async () => {
    const json = path.join(directory, 'lines.json');
    await runCli(['run', '--json', json, '--', 'node', fixture('two-lines.cjs')]);
    const { blocks, sources } = JSON.parse(await readFile(json, 'utf8')) as Recording;
    const block = blocks.find(({ culprit }) => culprit?.functionName === 'addUp')!;
    const [first, second, ...others] = parseLines(block.lines ?? '');
    expect([first?.[0], second?.[0], others]).toEqual([8, 10, []]);
    expect(first![1]).toBeGreaterThan(second![1]);
    const sampledMs = parseFolded(block.profile!).reduce((total, [, ms]) => total + ms, 0);
    expect(first![1] + second![1]).toBeLessThanOrEqual(sampledMs * 1.02);
    expect(first![1] + second![1]).toBeGreaterThan(sampledMs * 0.8);
    expect(Object.keys(sources[fixture('two-lines.cjs')]!)).toEqual(expect.arrayContaining(['8', '10', '13']));
  });

  test('distinguish two anonymous functions of one file', async () => {
    const json = path.join(directory, 'anonymous.json');
    await runCli(['run', '--json', json, '--', 'node', fixture('anonymous-routes.cjs')]);
    const { culprits, blocks } = JSON.parse(await readFile(json, 'utf8')) as Recording;
    const ofFile = culprits.filter(({ location }) => location?.filePath === fixture('anonymous-routes.cjs'));
    expect(ofFile.map(({ count }) => count).toSorted()).toEqual([1, 3]);
    const definedAt = blocks.map(({ definedAt: line }) => line).filter((line) => line !== undefined);
    expect(definedAt.toSorted((a, b) => a - b)).toEqual([7, 11, 11, 11]);
  });

  test.each(['--json', '--report', '--speedscope', '--pprof'])(
    'of %s that cannot be written are an error before the program starts',
    async (option) => {
      const file = path.join(directory, 'no', 'a file');
      const { code, stdout, stderr } = await runCli(['run', option, file, '--', 'node', '-p', '"started"']);
      expect([code, stdout.toString()]).toEqual([1, '']);
      expect(stderr).toBe(
        `loopwatch: Cannot write ${option} ${file}: the directory ${path.dirname(file)} does not exist. Create it first: mkdir -p '${path.dirname(file)}'\n`,
      );
    },
  );

  test.each([
    ['keep the exit code of a program that fails', 7, 7],
    ['make the run of a program that succeeds fail', 0, 1],
  ])('that can no longer be written after the run %s', async (_what, programCode, expected) => {
    const folder = path.join(directory, 'out');
    await mkdir(folder);
    const folderText = JSON.stringify(folder);
    const program = `fs.rmdirSync(${folderText}); fs.writeFileSync(${folderText}, ''); process.exitCode = ${programCode}`;
    const options = ['--json', path.join(folder, 'a.json'), '--speedscope', path.join(directory, 'b.json')];
    const { code, stderr } = await runCli(['run', ...options, '--', 'node', '-e', program]);
    expect(code).toBe(expected);
    expect(stderr).toMatch(/^loopwatch Cannot write .*a\.json: E/m);
    // The other file is written, and nothing else.
    expect(await readdir(directory)).toEqual(['b.json', 'out']);
  });
});
