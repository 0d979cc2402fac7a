import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { Profile } from 'pprof-format';

import { changeLevel } from '../../src/model/compare/change.js';
import type { Comparison } from '../../src/model/compare/comparison.js';
import { COMPARISON_DATA_ID, type ComparisonReport } from '../../src/model/compare/comparison-report.js';
import { type DifferenceNode, flameDifference } from '../../src/model/compare/flame-difference.js';
import type { Recording } from '../../src/model/recording/recording.js';
import { expectSuccess, fixture, runCli } from '../support/cli.js';
import { parseCommand, takenCommands } from '../support/github-runner.js';
import { makeBlock } from '../support/records.js';

let directory: string;
const file = (name: string): string => path.join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-compare-'));
  for (const build of ['old', 'new']) {
    await runCli(['run', '--quiet', '--json', file(`${build}.json`), '--', 'node', fixture('build.cjs')], {
      env: { BUILD: build, OTEL_RESOURCE_ATTRIBUTES: `service.version=${build}` },
    });
  }
}, 60_000);
afterAll(async () => {
  await rm(directory, { recursive: true });
});

/** Writes recordings that differ from the one of the old build in their blocks. */
async function writeRuns(name: string, lengths: readonly number[]): Promise<string[]> {
  const recording = JSON.parse(await readFile(file('old.json'), 'utf8')) as Recording;
  return Promise.all(
    lengths.map(async (durationMs, index) => {
      const blocks = durationMs > 0 ? [makeBlock({ durationMs })] : [];
      await writeFile(file(`${name}-${index}.json`), JSON.stringify({ ...recording, blocks }));
      return file(`${name}-${index}.json`);
    }),
  );
}

describe('two builds of a real program', () => {
  test('says which function is new, gone and worse, and of which builds', async () => {
    const { code, stdout, stderr } = await runCli(['compare', file('old.json'), '--with', file('new.json')]);
    expect([code, stderr]).toEqual([0, '']);
    const text = stdout.toString();
    expect(text).toMatch(/^Compared 1 run of old \([0-9a-f]{7}.*\) with 1 run of new \([0-9a-f]{7}.*\)\.$/m);
    expect(text).toMatch(/^new {6}addedInNew \S*build\.cjs:\d+$/m);
    expect(text).toMatch(/^gone {5}removedInNew \S*build\.cjs:\d+$/m);
    expect(text).toMatch(/^worse {4}parseAll \S*build\.cjs:\d+$/m);
    expect(text).toContain('Too few runs to tell a change from noise');
    expect(text).toMatch(/^addedInNew \(\S*build\.cjs:\d+\) took \d+ % of the blocked time: .*New in new\.$/m);
  });

  test('counts a recording once that is given twice, also by another name', async () => {
    const link = file('link.json');
    await symlink(file('old.json'), link);
    const { code, stdout, stderr } = await runCli(['compare', file('old.json'), link, '--with', file('new.json')]);
    expect([code, stderr]).toEqual([0, `loopwatch ${link} is given twice on a side: it counts once.\n`]);
    expect(stdout.toString()).toMatch(/^Compared 1 run of old /);
  });

  test('--fail-on-new fails for a new culprit above the limit only, and names it', async () => {
    const compare = (limit: string): ReturnType<typeof runCli> =>
      runCli(['compare', file('old.json'), '--with', file('new.json'), '--fail-on-new', limit]);
    const failed = await compare('150');
    expect(failed.code).toBe(3);
    expect(failed.stderr).toMatch(
      /^Failed: A new culprit blocks longer than 150 ms: addedInNew \(.*build\.cjs:\d+\), /,
    );
    expect(await compare('60000')).toMatchObject({ code: 0, stderr: '' });
  });

  test('in GitHub Actions, writes annotations behind what it prints, which holds no command, and a summary', async () => {
    const summary = file('summary.md');
    const { code, stdout } = await runCli(
      ['compare', file('old.json'), '--with', file('new.json'), '--fail-on-new', '150', '--gitlab', file('q.json')],
      { env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary } },
    );
    const lines = stdout.toString().split('\n');
    expect([code, takenCommands(lines).sort()]).toEqual([3, ['error', 'warning']]);
    expect(lines.flatMap((line) => parseCommand(line) ?? []).find(({ command }) => command === 'error')).toMatchObject({
      properties: { file: expect.stringMatching(/fixtures\/build\.cjs$/), line: expect.stringMatching(/^\d+$/) },
      data: expect.stringContaining('addedInNew'),
    });
    expect(await readFile(summary, 'utf8')).toMatch(/^### Event loop blocks\n/);
    const report = JSON.parse(await readFile(file('q.json'), 'utf8')) as { severity: string }[];
    expect(report.map(({ severity }) => severity)).toEqual(['major', 'minor']);
  });

  test('writes Markdown, JSON and the difference for pprof, also when it fails', async () => {
    const outputs = [
      '--markdown',
      file('comment.md'),
      '--json',
      file('comparison.json'),
      '--pprof',
      file('diff.pb.gz'),
    ];
    const inputs = ['compare', file('old.json'), '--with', file('new.json'), '--fail-on-new', '150'];
    expect((await runCli([...inputs, ...outputs])).code).toBe(3);
    const markdown = await readFile(file('comment.md'), 'utf8');
    expect(markdown).toMatch(/^### Event loop blocks\n/);
    expect(markdown).toMatch(/^addedInNew \(.*build\.cjs:\d+\) took \d+ % of the blocked time: .*New in new\.$/m);
    expect(markdown).toMatch(/^\| \*\*new\*\* \| `addedInNew`<br>.*build\.cjs:\d+/m);
    const profile = Profile.decode(gunzipSync(await readFile(file('diff.pb.gz'))));
    expect(profile.sample.some(({ value }) => BigInt.asIntN(64, BigInt(value[1]!)) < 0n)).toBe(true);
    expect(profile.stringTable.strings).toEqual(expect.arrayContaining(['build', 'base', 'head', 'addedInNew']));
    const { culprits } = JSON.parse(await readFile(file('comparison.json'), 'utf8')) as Comparison;
    expect(culprits.map(({ verdict }) => verdict)).toEqual(expect.arrayContaining(['new', 'gone', 'worse']));
  });
});

(process.platform === 'linux' ? test : test.skip)(
  'a file that cannot be written prevents neither the others nor the verdict',
  async () => {
    const outputs = ['--markdown', '/dev/full', '--json', file('in-spite.json'), '--report', file('in-spite.html')];
    const inputs = ['compare', file('old.json'), '--with', file('new.json'), ...outputs];
    const compare = async (limit: string): Promise<[number | null, string]> => {
      const { code, stderr } = await runCli([...inputs, '--fail-on-new', limit]);
      return [code, stderr];
    };
    const problem = '^loopwatch Cannot write /dev/full: ENOSPC.*\nloopwatch Report: .*\n';
    expect(await compare('60000')).toEqual([1, expect.stringMatching(`${problem}$`)]);
    expect(await compare('150')).toEqual([3, expect.stringMatching(`${problem}Failed: A new culprit blocks`)]);
    expect(JSON.parse(await readFile(file('in-spite.json'), 'utf8'))).toHaveProperty('culprits');
  },
);

describe('--report', () => {
  test('writes a page with the comparison of two real recordings, and says where it is', async () => {
    const report = file('change.html');
    const { code, stdout, stderr } = await runCli([
      'compare',
      file('old.json'),
      '--with',
      file('new.json'),
      '--report',
      report,
    ]);
    expect([code, stderr]).toEqual([0, `loopwatch Report: ${pathToFileURL(report).href}\n`]);
    expect(stdout.toString()).toMatch(/^Compared 1 run of old/);
    const { comparison, flames, sentence } = await embeddedReport(report);
    expect(sentence).toMatch(/^addedInNew \(.*New in new\.$/);
    const meanMs = (side: 'base' | 'head'): number =>
      comparison.culprits.reduce((total, culprit) => total + culprit[side].meanMs, 0);
    expect(flames.base.value).toBeCloseTo(meanMs('base'));
    expect(flames.head.value).toBeCloseTo(meanMs('head'));
    const difference = flameDifference(flames, 'head');
    expect(frameNamed('addedInNew', difference)).toMatchObject({
      baseMs: 0,
      headMs: expect.closeTo(headMsOf(comparison, 'addedInNew')),
      place: expect.stringMatching(/build\.cjs:\d+$/),
    });
    expect(frameNamed('removedInNew', difference)).toMatchObject({ headMs: 0, value: 0 });
    expect(changeLevel(frameNamed('parseAll', difference)!)).toMatch(/^more-/);
  });

  test('is also written when the comparison fails', async () => {
    const inputs = ['compare', file('old.json'), '--with', file('new.json'), '--fail-on-new', '150'];
    const { code, stderr } = await runCli([...inputs, '--report', file('failed.html')]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^loopwatch Report: .*failed\.html\nFailed: /)]);
    expect((await embeddedReport(file('failed.html'))).headline).toMatch(/^Culprits: 1 new/);
  });

  test('that cannot be written is an error before anything is read or printed', async () => {
    const { code, stdout, stderr } = await runCli([
      'compare',
      file('none.json'),
      '--with',
      file('new.json'),
      '--report',
      file('no/where.html'),
    ]);
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^loopwatch: Cannot write --report .*where\.html: the directory .* does not exist\. Create it first: mkdir -p /,
    );
  });

  test('may not be the file of another output', async () => {
    const outputs = ['--markdown', file('same'), '--report', file('same')];
    const { code, stderr } = await runCli(['compare', file('old.json'), '--with', file('new.json'), ...outputs]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/--markdown and --report name the same file/);
  });
});

/** The document in a report. */
async function embeddedReport(report: string): Promise<ComparisonReport> {
  const html = await readFile(report, 'utf8');
  const [, base64 = ''] = new RegExp(`id="${COMPARISON_DATA_ID}">([^<]+)<`).exec(html) ?? [];
  return JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString()) as ComparisonReport;
}

function frameNamed(name: string, node: DifferenceNode): DifferenceNode | undefined {
  if (node.name === name) return node;
  return node.children.map((child) => frameNamed(name, child)).find((found) => found !== undefined);
}

function headMsOf({ culprits }: Comparison, name: string): number {
  return culprits.find(({ location }) => location?.functionName === name)!.head.meanMs;
}

describe('several runs of each build', () => {
  test('a culprit of some new runs alone is within noise and does not fail the job', async () => {
    const base = await writeRuns('base', [0, 0, 0, 0, 0]);
    const head = await writeRuns('head', [400, 0, 0, 450, 0]);
    const result = await runCli(['compare', ...base, '--with', ...head, '--fail-on-new', '200']);
    expectSuccess(result);
    const { stdout } = result;
    expect(stdout.toString()).toMatch(/^unclear {2}slow .*\n.*in 2 of 5 runs, before in 0 of 5; p = 0\.\d+$/m);
  });

  test('a culprit of all new runs is new and fails the job', async () => {
    const base = await writeRuns('base', [0, 0, 0, 0, 0]);
    const head = await writeRuns('head', [400, 410, 380, 450, 420]);
    const { code, stdout } = await runCli(['compare', ...base, '--with', ...head, '--fail-on-new', '200']);
    expect(code).toBe(3);
    expect(stdout.toString()).toMatch(/^new {6}slow .*\n.*in 5 of 5 runs, before in 0 of 5; p = 0\.004$/m);
  });
});

describe('bad input', () => {
  test.each([
    [
      'a missing file',
      () => ['compare', file('none.json'), '--with', file('new.json')],
      /Cannot read .*none\.json \(ENOENT\)/,
    ],
    [
      'a missing --with',
      () => ['compare', file('old.json')],
      /required option '--with <head\.json\.\.\.>' not specified/,
    ],
    [
      'a directory that does not exist',
      () => ['compare', file('old.json'), '--with', file('new.json'), '--markdown', file('no/where.md')],
      /Cannot write --markdown .*the directory .* does not exist/,
    ],
  ])('%s is an error that says what to do', async (_, args, message) => {
    const { code, stdout, stderr } = await runCli(args());
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  test.each([
    ['no JSON', '{', /it is no JSON\. Make one with: loopwatch run --json/],
    ['another JSON file', '{"name":"x"}', /it is no recording \(the file must have required property/],
    ['a recording of a later version', '{"schemaVersion":7}', /schema version 7, expected 1/],
  ])('%s is refused', async (_, text, message) => {
    await writeFile(file('bad.json'), text);
    const { code, stderr } = await runCli(['compare', file('bad.json'), '--with', file('new.json')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
