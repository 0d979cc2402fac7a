import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

import { combinationOfRun, supportedCombinations } from '../src/combinations.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Matrix {
  readonly combination?: readonly string[];
  readonly node?: readonly number[];
  readonly sdk?: readonly string[];
  readonly exclude?: readonly { readonly node: number; readonly sdk: string }[];
}

interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Matrix };
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = path.resolve(import.meta.dirname, '../../..');
const directory = path.join(root, '.github/workflows');
const files = readdirSync(directory);
const texts = files.map((name) => readFileSync(path.join(directory, name), 'utf8'));
const workflows = new Map(files.map((name, index) => [name, parse(texts[index]!) as Workflow]));
const jobs = [...workflows].flatMap(([name, workflow]) =>
  Object.entries(workflow.jobs).map(([job, content]) => ({ name: `${name} ${job}`, ...content })),
);
const commands = jobs.flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []));
const supported = supportedCombinations.map(({ nodeMajor, sdk }) => `${nodeMajor}-${sdk}`).sort();

describe('CI has a job for each supported combination', () => {
  test.each(['linux', 'platforms', 'alpine'])('of the jobs %s', (job) => {
    const { combination, node = [], sdk = [], exclude = [] } = workflows.get('ci.yml')!.jobs[job]!.strategy!.matrix;
    const excluded = new Set(exclude.map((pair) => `${pair.node}-${pair.sdk}`));
    const product = node
      .flatMap((major) => sdk.map((line) => `${major}-${line}`))
      .filter((name) => !excluded.has(name));
    expect([...(combination ?? product)].sort()).toEqual(supported);
  });

  test.each(supported)('%s is the name by which a job chooses it', (name) => {
    const { nodeMajor, sdk } = combinationOfRun({ LOOPWATCH_TEST_COMBINATION: name })!;
    expect(`${nodeMajor}-${sdk}`).toBe(name);
  });

  test('a job with another name fails', () => {
    expect(() => combinationOfRun({ LOOPWATCH_TEST_COMBINATION: '18-sdk1' })).toThrow('got 18-sdk1');
  });
});

describe('the workflows', () => {
  test('name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = commands.flatMap((text) => [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('start only files that exist', () => {
    const named = commands.flatMap((text) =>
      [...text.matchAll(/\bnode ([\w./-]+\.mjs)/g)].map(([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  test('pin each action by the hash of a commit, with its version, the same everywhere', () => {
    const lines = texts.flatMap((text) => text.match(/uses: .*/g) ?? []).filter((line) => !line.includes('uses: ./'));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    const hashes = new Map<string, Set<string>>();
    for (const line of lines) {
      const [, action = '', version = ''] = /^uses: ([\w./-]+)@(.*)$/.exec(line) ?? [];
      hashes.set(action, (hashes.get(action) ?? new Set()).add(version));
    }
    expect([...hashes.values()].filter(({ size }) => size > 1)).toEqual([]);
  });

  test('give no job more than it needs', () => {
    expect([...workflows.values()].map(({ permissions }) => permissions)).toEqual(files.map(() => ({})));
    expect(jobs.filter(({ permissions }) => permissions === undefined)).toEqual([]);
    const mayWrite = jobs.filter(({ permissions }) => Object.values(permissions!).includes('write'));
    expect(mayWrite.map(({ name }) => name).sort()).toEqual([
      'release.yml github-release',
      'release.yml publish',
      'site.yml deploy',
      'version.yml pull-request',
    ]);
    const mayAuthenticate = jobs.filter(({ permissions }) => permissions!['id-token'] !== undefined);
    expect(mayAuthenticate.map(({ name }) => name).sort()).toEqual(['release.yml publish', 'site.yml deploy']);
  });

  test('end by themselves', () => {
    const own = jobs.filter(({ uses }) => uses === undefined);
    expect(own.filter((job) => job['timeout-minutes'] === undefined).map(({ name }) => name)).toEqual([]);
  });
});
