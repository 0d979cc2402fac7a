import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse as parseJUnit } from 'junit2json';

import { comparisonMarkdown } from '../../src/cli/files/comparison-markdown.js';
import { annotations, appendSummary, withoutCommands } from '../../src/cli/files/github.js';
import { gitlabReport } from '../../src/cli/files/gitlab.js';
import { junitXml } from '../../src/cli/files/junit.js';
import { runMarkdown } from '../../src/cli/files/run-markdown.js';
import { compareRecordings } from '../../src/model/compare/comparison.js';
import type { CiFinding } from '../../src/model/report/ci-findings.js';
import { parseCommand, takenCommands } from '../support/github-runner.js';
import { makeBlock, makeRecording } from '../support/records.js';

/** Names that a program can be made to have. */
const HOSTILE = [
  '::error::x',
  'a%0A::add-mask::b',
  'a\n::stop-commands::x',
  '##[error]x',
  'a,line=1::b:c',
  '</failure>]]>&amp;"\'<x>',
  '\u0000\u001b[31m\ud800\uffff',
  '@team | `x` [y](http://z) <script>',
  '&#64;team https://z www.z WWW.z ~~x~~ &lt;b&gt;',
] as const;

function makeFinding(overrides: Partial<CiFinding> = {}): CiFinding {
  return {
    key: 'slow\nsrc/slow.js',
    level: 'error',
    title: 'Event loop blocked for 1.2 s',
    message: 'slow (src/slow.js:3) took 100 % of the blocked time: 1 block, 1.2 s.',
    functionName: 'slow',
    file: 'src/slow.js',
    place: { path: 'src/slow.js', line: 3, column: 5 },
    totalMs: 1200,
    ...overrides,
  };
}

const hostileText = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', maxLength: 60 }));

describe('annotations', () => {
  test('have file, line, column, title and sentence', () => {
    expect(annotations([makeFinding(), makeFinding({ level: 'note' })]).map(parseCommand)).toEqual([
      {
        command: 'error',
        properties: { title: 'Event loop blocked for 1.2 s', file: 'src/slow.js', line: '3', col: '5' },
        data: 'slow (src/slow.js:3) took 100 % of the blocked time: 1 block, 1.2 s.',
      },
    ]);
  });

  test('are one command each, with what was put in, whatever the names are', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (message, file) => {
        const place = { path: file, line: 7, column: 0 };
        const lines = annotations([makeFinding({ message, place })]);
        expect(lines.join('\n').split(/[\r\n]/)).toHaveLength(1);
        const { command, properties, data } = parseCommand(lines[0]!)!;
        expect([command, properties.line, properties.title]).toEqual(['error', '7', 'Event loop blocked for 1.2 s']);
        expect(properties.file ?? '').toBe(file);
        // eslint-disable-next-line no-control-regex -- these are what must not arrive
        expect(data).not.toMatch(/[\u0000-\u001f]/);
        expect(Object.keys(properties).length).toBeLessThanOrEqual(3);
      }),
    );
  });

  test('are as many as GitHub shows, errors first, and the rest is counted', () => {
    const findings = [
      ...Array.from({ length: 12 }, () => makeFinding({ level: 'warning' })),
      ...Array.from({ length: 11 }, () => makeFinding()),
    ];
    const levels = annotations(findings).map((line) => parseCommand(line)!.command);
    expect(levels).toEqual([...Array<string>(10).fill('error'), ...Array<string>(10).fill('warning'), 'notice']);
    expect(annotations(findings).at(-1)).toContain('3 more');
  });
});

test('no printed line is taken as a command of GitHub', () => {
  const lines = withoutCommands(HOSTILE.map((name) => `${name} took 3 %`));
  expect(takenCommands(lines)).toEqual([]);
  expect(takenCommands([...lines, '::error::after it'])).toEqual(['error']);
});

describe('the summary of the job', () => {
  let file: string;
  beforeEach(async () => {
    file = path.join(await mkdtemp(path.join(tmpdir(), 'loopwatch-summary-')), 'summary.md');
  });
  afterEach(async () => {
    await rm(path.dirname(file), { recursive: true });
  });

  test('is appended', async () => {
    await writeFile(file, 'before\n');
    expect(await appendSummary('after\n', { GITHUB_STEP_SUMMARY: file })).toBeUndefined();
    expect(await readFile(file, 'utf8')).toBe('before\n\nafter\n');
  });

  test('leaves out what GitHub would refuse, and says so', async () => {
    await writeFile(file, '');
    await truncate(file, 1024 * 1024 - 3);
    expect(await appendSummary('after\n', { GITHUB_STEP_SUMMARY: file })).toMatch(/no room left/);
    expect(await appendSummary('x', { GITHUB_STEP_SUMMARY: path.dirname(file) })).toMatch(/^Cannot write the summary/);
    expect(await appendSummary('x', {})).toBeUndefined();
  });

  test('does not say that nothing blocked where nothing was watched', () => {
    expect(runMarkdown(makeRecording([]), undefined, [])).toContain('No block of 100 ms or longer');
    const markdown = runMarkdown(makeRecording([], { processes: [] }), undefined, ['Nothing was watched.']);
    expect(markdown).toBe('### Event loop blocks\n\n_Nothing was watched._\n');
  });

  test('has one row a culprit, without a mention, a link or HTML of a name', () => {
    const blocks = HOSTILE.map((functionName, index) =>
      makeBlock({ culprit: { functionName, filePath: `/app/${index}.js`, lineNumber: 1, columnNumber: 1 } }),
    );
    const markdown = runMarkdown(makeRecording(blocks), 'Failed: @team', []);
    const rows = markdown.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toHaveLength(HOSTILE.length);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(7);
    const outsideOfCode = markdown.replace(/`[^`]*`/g, '');
    expect(outsideOfCode).not.toMatch(/@team|\]\(http:\/\/z|<script/);
  });

  test('has names in its sentences that are no mention, no entity and no address', () => {
    for (const name of HOSTILE) {
      const markdown = runMarkdown(makeRecording([]), `Failed: ${name}`, [name]);
      expect(markdown).not.toMatch(/@team|:\/\/|www\.|(?<!\\)[&~<|[]/i);
    }
  });

  test('links to a line, and to nothing else, whatever repository and path are called', () => {
    const target = ')![x](http://z/|a) (b)*_c\\';
    const culprit = { functionName: 'f', filePath: `/app/(shop)/${target}.js`, lineNumber: 3, columnNumber: 1 };
    const recording = makeRecording([makeBlock({ culprit })]);
    const vcs = { repositoryUrl: `https://example.org/${target}`, revision: target, rootDirectory: '/app' };
    const markdown = runMarkdown({ ...recording, directory: '/app', vcs }, undefined, []);
    const addresses = markdown.replace(/`[^`]*`/g, '').match(/(?<!\\)\]\(.*?(?= \|)/g);
    expect(addresses).toEqual([
      expect.stringMatching(/^\]\(https:\/\/example\.org\/[^\s()[\]|\\]+\/%28shop%29\/[^\s()[\]|\\]+#L3\)$/),
    ]);
  });
});

describe('JUnit', () => {
  const suite = { name: 'event loop', startedMs: 0, nothingFound: 'No block', notKnown: [] };

  test('has a failure for each error, and a passed test for the rest', async () => {
    const xml = junitXml([makeFinding(), makeFinding({ level: 'note', functionName: 'other' })], suite);
    expect(await parseJUnit(xml)).toMatchObject({
      tests: 2,
      failures: 1,
      errors: 0,
      testsuite: [
        {
          name: 'event loop',
          tests: 2,
          failures: 1,
          skipped: 0,
          time: 2.4,
          timestamp: '1970-01-01T00:00:00',
          testcase: [
            {
              name: 'slow',
              classname: 'src/slow.js',
              time: 1.2,
              failure: [{ message: 'Event loop blocked for 1.2 s', type: 'event-loop-blocked' }],
            },
            { name: 'other', 'system-out': [expect.stringMatching(/^slow /)] },
          ],
        },
      ],
    });
  });

  test('has a test where nothing was found, and a skipped one for what is not known', async () => {
    expect(await parseJUnit(junitXml([], suite))).toMatchObject({
      tests: 1,
      testsuite: [{ testcase: [{ name: 'No block' }] }],
    });
    const xml = junitXml([], { ...suite, notKnown: ['Nothing was watched.'] });
    const parsed = await parseJUnit(xml);
    expect(parsed).toMatchObject({
      tests: 1,
      testsuite: [{ skipped: 1, testcase: [{ name: 'Nothing was watched.' }] }],
    });
    expect(xml).toContain('<skipped/>');
  });

  test('can be read whatever the names are', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (functionName, message) => {
        const parsed = await parseJUnit(junitXml([makeFinding({ functionName, message, file: functionName })], suite));
        expect(parsed).toMatchObject({ tests: 1, failures: 1 });
      }),
    );
  });
});

test('the report for GitLab has what it asks for, and the same fingerprint at another line and length', () => {
  const findings = [
    makeFinding(),
    makeFinding({ level: 'warning', key: 'b' }),
    makeFinding({ level: 'note', key: 'c' }),
  ];
  const { place: _place, ...inDependency } = makeFinding();
  const report = JSON.parse(gitlabReport([...findings, inDependency])) as Record<string, unknown>[];
  expect(report).toMatchObject([
    {
      description: makeFinding().message,
      check_name: 'event-loop-blocked',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      severity: 'major',
      location: { path: 'src/slow.js', lines: { begin: 3 } },
    },
    { severity: 'minor' },
    { severity: 'info' },
  ]);
  expect(report).toHaveLength(3);
  const moved = makeFinding({ message: 'longer', place: { path: 'src/slow.js', line: 9, column: 1 } });
  const [again] = JSON.parse(gitlabReport([moved])) as Record<string, unknown>[];
  expect(again!['fingerprint']).toBe(report[0]!['fingerprint']);
});

test('the report for GitLab is JSON with one visible line for each culprit, whatever the names are', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (message, key) => {
      const [entry, ...others] = JSON.parse(gitlabReport([makeFinding({ message, key })])) as Record<string, unknown>[];
      expect(others).toEqual([]);
      // eslint-disable-next-line no-control-regex -- these are what must not arrive
      expect(entry!['description']).not.toMatch(/[\u0000-\u001f]/);
      expect(entry!['fingerprint']).toMatch(/^[0-9a-f]{64}$/);
    }),
  );
});

test('No name changes the direction of the text behind it', () => {
  const name = 'a\u202eb\u2066c\u2028d\u200fe\u061cf';
  const culprit = { functionName: name, filePath: `/app/${name}.js`, lineNumber: 3, columnNumber: 1 };
  const recording = makeRecording([makeBlock({ culprit, request: name })]);
  const [base, head] = [[makeRecording([])], [recording]];
  const finding = makeFinding({ functionName: name, file: name, message: name });
  const texts = [
    comparisonMarkdown(compareRecordings(base, head), base, head),
    runMarkdown(recording, undefined, []),
    annotations([finding]).join(''),
    gitlabReport([finding]),
    junitXml([finding], { name: 'x', startedMs: 0, nothingFound: '', notKnown: [] }),
  ];
  for (const text of texts) expect(text).not.toMatch(/[\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
});

test('The comparison of names of any length and number fits into a comment of GitHub', () => {
  const long = 'x'.repeat(100_000);
  const blocks = Array.from({ length: 4_000 }, (_, index) => {
    const functionName = index < 2_000 ? 'slow' : `${index}${long.slice(0, 5_000)}`;
    const culprit = {
      functionName,
      filePath: `/app/${index % 7}${long.slice(0, 4_000)}.js`,
      lineNumber: 3,
      columnNumber: 1,
    };
    return makeBlock({ culprit, request: `GET /users/${index}` });
  });
  const head = [makeRecording([makeBlock({ culprit: { ...blocks[0]!.culprit!, functionName: long } }), ...blocks])];
  const base = [makeRecording([])];
  const markdown = comparisonMarkdown(compareRecordings(base, head), base, head);
  expect(markdown.length).toBeLessThan(65_000);
  expect(markdown).toMatch(/\| \*\*new\*\* \| .*<br>and \d+ more \|/);
  expect(markdown).toMatch(/\d+ more culprits changed/);
});
