import { beforeAll, expect, test } from '@jest/globals';

import { Builds } from './builds-support.ts';
import { builds } from './extras.ts';
import { environmentTree, INSTALL_TIMEOUT_MS } from './support.ts';

/** Share of the culprits that must have the file and a line of their function in the source. */
const WANTED_PLACES = 0.95;
/** And its name: not every minifier writes it into the map (Parcel does not). */
const WANTED_NAMES = 0.9;
const TIMEOUT_MS = 20 * 60_000;

/** A function of src/orders.ts, by its name; `Report.renderRows` where the name of the class is kept. */
const functions = ['countDuplicates', 'sumPrices', 'renderRows', 'loadPrices'] as const;

let built: Builds;

beforeAll(async () => {
  built = new Builds(await environmentTree('sdk3', builds), 'builds');
}, INSTALL_TIMEOUT_MS);

test(
  'a culprit of a built program has its function, file and line in the source, without a flag of Node.js',
  async () => {
    const places: string[] = [];
    const named: string[] = [];
    const names = await built.names();
    expect(names.length).toBeGreaterThanOrEqual(20);
    for (const name of names) {
      const { tasks, misses } = await built.run(name);
      expect(tasks.map((task) => task.name)).toEqual(functions);
      places.push(...misses.places.map((miss) => `${name}: ${miss}`));
      named.push(...misses.names.map((miss) => `${name}: ${miss}`));
    }
    const count = names.length * functions.length;
    const share = { places: 1 - places.length / count, names: 1 - named.length / count };
    console.log(`${names.length} builds: ${count} culprits, share at their source`, share, { places, named });
    expect(share.places < WANTED_PLACES ? places : []).toEqual([]);
    expect(share.names < WANTED_NAMES ? named : []).toEqual([]);
  },
  TIMEOUT_MS,
);
