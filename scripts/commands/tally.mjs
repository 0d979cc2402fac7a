import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { testResultsDirectory } from '../lib/paths.mjs';
import { countLine, countTests, isGood, passedOnSecondTry } from '../jest/test-counts.mjs';

/** The count line of all suites that ran since `temp/test-results` was last emptied. */
export async function main() {
  const files = existsSync(testResultsDirectory) ? readdirSync(testResultsDirectory) : [];
  const results = files.map((file) => JSON.parse(readFileSync(path.join(testResultsDirectory, file), 'utf8')));
  const counts = countTests(results);
  for (const name of passedOnSecondTry(results)) console.log(`Passed on the second try only: ${name}`);
  console.log(countLine(counts));
  return isGood(counts) ? 0 : 1;
}
