import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { beforeAll, expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { epochMs } from '@loopwatch/test-support';
import type { ProgramTree, RunResult } from '@loopwatch/test-support';

import { expectCleanExit, runUnstarved } from '../support.ts';
import { builds } from './extras.ts';
import { environmentTree, INSTALL_TIMEOUT_MS } from './support.ts';

/** One Node.js major is enough: what a build writes is the same on each. */
const combination = { nodeMajor: 24 } as const;
/** Share of the culprits that must have the file and a line of their function in the source. */
const WANTED_PLACES = 0.95;
/** And its name: not every minifier writes it into the map (Parcel does not). */
const WANTED_NAMES = 0.9;
const TIMEOUT_MS = 20 * 60_000;

/** A function of src/orders.ts, by its name; `Report.renderRows` where the name of the class is kept. */
const functions = ['countDuplicates', 'sumPrices', 'renderRows', 'loadPrices'] as const;

let tree: ProgramTree;

beforeAll(async () => {
  tree = await environmentTree('sdk3', builds);
}, INSTALL_TIMEOUT_MS);

test(
  'a culprit of a built program has its function, file and line in the source, without a flag of Node.js',
  async () => {
    const misses: Misses = { places: [], names: [] };
    const names = JSON.parse(await build('--list')) as string[];
    expect(names.length).toBeGreaterThanOrEqual(20);
    for (const name of names) {
      const folder = await mkdtemp(path.join(tree.directory, 'builds/out-'));
      try {
        const program = /^program: (.*)$/m.exec(await build(name, folder))![1]!;
        const result = await runUnstarved({ combination, tree, program: path.relative(tree.directory, program) });
        expectCleanExit(result);
        const { places, names: missedNames } = await missesOf(result);
        misses.places.push(...places.map((miss) => `${name}: ${miss}`));
        misses.names.push(...missedNames.map((miss) => `${name}: ${miss}`));
      } finally {
        await rm(folder, { recursive: true });
      }
    }
    const count = names.length * functions.length;
    const share = { places: 1 - misses.places.length / count, names: 1 - misses.names.length / count };
    console.log(`${names.length} builds: ${count} culprits, share at their source`, share, misses);
    expect(share.places < WANTED_PLACES ? misses.places : []).toEqual([]);
    expect(share.names < WANTED_NAMES ? misses.names : []).toEqual([]);
  },
  TIMEOUT_MS,
);

async function build(...args: readonly string[]): Promise<string> {
  const script = path.join(tree.directory, 'builds/build.mjs');
  const { stdout } = await promisify(execFile)(nodeBinary(combination.nodeMajor), [script, ...args], {
    cwd: path.dirname(script),
    timeout: 180_000,
  });
  return stdout;
}

interface Misses {
  readonly places: string[];
  readonly names: string[];
}

/** The tasks whose block has another culprit, or none, and those whose culprit has another name. */
async function missesOf({ stdout, spans }: RunResult): Promise<Misses> {
  const file = path.join(tree.directory, 'builds/src/orders.ts');
  const lines = (await readFile(file, 'utf8')).split('\n');
  const tasks = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Task] : []));
  expect(tasks.map(({ name }) => name)).toEqual(functions);
  const misses: Misses = { places: [], names: [] };
  for (const { name, startEpochMs, endEpochMs } of tasks) {
    const span = spans.find(
      ({ name: spanName, startTime, endTime }) =>
        spanName === 'event-loop-blocked' && epochMs(startTime) < endEpochMs && epochMs(endTime) > startEpochMs,
    );
    const place = span?.attributes ?? {};
    const first = lines.findIndex((line) => line.includes(`${name}(`) || line.includes(`${name} =`)) + 1;
    const last = lines.findIndex((line, i) => i >= first && /^ {0,2}\};?$/.test(line)) + 1;
    const line = Number(place['code.line.number']);
    const functionName = String(place['code.function.name']);
    const miss = `${name}: ${functionName} ${String(place['code.file.path'])}:${line}`;
    if (place['code.file.path'] !== file || !(line >= first && line <= last)) misses.places.push(miss);
    if (functionName.split('.').at(-1) !== name) misses.names.push(miss);
  }
  return misses;
}

interface Task {
  readonly name: string;
  readonly startEpochMs: number;
  readonly endEpochMs: number;
}
