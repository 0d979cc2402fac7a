import { readTestResults } from '../jest/results.mjs';
import { countLine, countTests, isGood } from '../jest/test-counts.mjs';

/** Counts the tests of all runs since `temp/test-results` was last emptied. */
export async function main() {
  const counts = countTests(readTestResults());
  console.log(countLine(counts));
  return isGood(counts) ? 0 : 1;
}
