import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect } from '@jest/globals';

import type { Recording } from '../../src/model/recording/recording.js';
import { runCli } from '../support/cli.js';
import {
  AS_OTHER_USER,
  attachAgainAndAgain,
  createPlaces,
  NEEDS_ROOT,
  type Places,
  SECRET,
  startHostile,
  stateOf,
  testAsRoot,
  waysToStart,
} from '../support/hostile.js';

/** A sample of what `attach-race.long` does. */
const TIMES = 5;

let directory: string;
let places: Places;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'hostile-'));
  if (NEEDS_ROOT === '') places = createPlaces(directory);
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe(`root attaches to a hostile process${NEEDS_ROOT}`, () => {
  testAsRoot.each(Object.keys(waysToStart({ own: '', victim: '' })))(
    'and changes nothing outside, whatever a process %s does to its directories at any moment',
    async (way) => {
      await using target = await startHostile('race', waysToStart(places)[way] ?? [], places);
      await attachAgainAndAgain(target, places, TIMES);
    },
  );

  testAsRoot.each([
    ['secret', 'found one of uid 0. Nothing was read from it.'],
    ['device', 'found something else. Nothing was read from it.'],
    ['pipe', 'found something else. Nothing was read from it.'],
    ['directory', 'found something else. Nothing was read from it.'],
    ['closed', 'ENOENT'],
    ['number', 'ENOENT'],
    ['text', 'one in which the agent does not start ( ]0;hostile xxx'],
  ])(
    'and opens nothing that is no file of its user, when it says that its %s is its file of records',
    async (way, message) => {
      const before = stateOf(places.victim);
      await using target = await startHostile(way, AS_OTHER_USER, places);
      const { code, stderr } = await runCli(['attach', '--for', '1s', String(target.pid)]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
      expect(stderr).not.toContain(SECRET);
      expect(stderr.length).toBeLessThan(2000);
      expect(stateOf(places.victim)).toEqual(before);
      expect(target.isAlive).toBe(true);
    },
  );

  testAsRoot.each(['garbage', 'sparse'])('and leaves out what is no record, of a %s file', async (way) => {
    const json = path.join(directory, 'out.json');
    await using target = await startHostile(way, AS_OTHER_USER, places);
    const { code, stderr } = await runCli(['attach', '--for', '1s', '--json', json, String(target.pid)]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/could not be read as records|bytes are left out/)]);
    // eslint-disable-next-line no-control-regex -- what a terminal would act on
    expect(stderr).not.toMatch(/\u001b\]|\u0007/);
    const text = await readFile(json, 'utf8');
    // The reader may read that file, and the process may not.
    expect(text + stderr).not.toContain(SECRET);
    const { blocks, sources } = JSON.parse(text) as Recording;
    expect(sources).toEqual({});
    expect(blocks.map(({ culprit }) => culprit?.functionName)).toEqual(way === 'garbage' ? ['shown'] : []);
  });

  testAsRoot('and doctor executes nothing of it', async () => {
    const mark = path.join(places.own, 'executed');
    const code = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '');`;
    for (const name of ['@opentelemetry/api', '@loopwatch/instrumentation-event-loop']) {
      const folder = path.join(places.own, 'node_modules', name);
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name, version: '0.1.0', main: 'index.js' }));
      await writeFile(path.join(folder, 'index.js'), code);
    }
    await using target = await startHostile('race', [...AS_OTHER_USER, 'env', '-C', places.own], places);
    const { stdout } = await runCli(['doctor', String(target.pid)]);
    expect(stdout.toString()).toContain('@loopwatch/instrumentation-event-loop');
    expect(existsSync(mark)).toBe(false);
  });
});
