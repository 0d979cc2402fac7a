import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe } from '@jest/globals';

import {
  attachAgainAndAgain,
  createPlaces,
  NEEDS_ROOT,
  type Places,
  startHostile,
  testAsRoot,
  waysToStart,
} from '../support/hostile.js';

/** Hundreds in all. `LOOPWATCH_RACE_TIMES` asks for more. */
const TIMES = Number(process.env.LOOPWATCH_RACE_TIMES ?? 100);
/** A hostile process ends after a minute: the support of tests ends it. */
const AT_ONCE = 20;

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
    'hundreds of times, and changes nothing outside, whatever a process %s does to its directories at any moment',
    async (way) => {
      for (let count = 0; count < TIMES; count += AT_ONCE) {
        await using target = await startHostile('race', waysToStart(places)[way] ?? [], places);
        await attachAgainAndAgain(target, places, Math.min(AT_ONCE, TIMES - count));
      }
    },
    TIMES * 10_000,
  );
});
