import path from 'node:path';

/**
 * The end-to-end tests that wait for longest, by the name of their file: for alerts, and for the time that these look back.
 * Without the durations of an earlier run, Jest goes by the size of the files, and the last of these would run alone.
 */
const longest = ['notifications-of-all-alerts', 'new-culprit-release', 'demo', 'new-culprit'];

/**
 * Puts the tests that wait for longest first, and leaves the others in their order: Jest's `--testSequencer`.
 * @typedef {{ readonly path: string }} Test
 */
export default class LongestFirst {
  /** @param {readonly Test[]} tests */
  sort(tests) {
    return [...tests].sort((left, right) => rankOf(left) - rankOf(right));
  }

  /** Jest calls it for `--onlyFailures`, which needs a record of earlier runs. */
  allFailedTests() {
    return [];
  }

  cacheResults() {
    // The order does not depend on earlier runs.
  }
}

/** @param {Test} test */
function rankOf({ path: file }) {
  const rank = longest.indexOf(path.basename(file, '.test.ts'));
  return rank === -1 ? longest.length : rank;
}
