import { failedTests, repeatedTests } from '../jest/failed-tests.mjs';
import { readTestResults } from '../jest/results.mjs';
import { countLine, countTests, isGood } from '../jest/test-counts.mjs';

/** Names the failed tests of all runs since `temp/test-results` was last emptied, and counts all tests. */
export async function main() {
  const results = readTestResults();
  for (const line of [...repeatedTests(results), ...failedTests(results)]) console.log(line);
  const counts = countTests(results);
  console.log(countLine(counts));
  return isGood(counts) ? 0 : 1;
}
