/**
 * @typedef {import('./results.mjs').JestResults} JestResults
 * @typedef {import('./results.mjs').TestFileResult} TestFileResult
 */

/**
 * The results of a run in which some files ran a second time: the second result of these files counts, and a test that
 * failed first and then passed is in `repeatedTests`.
 * @param {JestResults} first
 * @param {JestResults} second of the files that ran again, and of no others
 * @returns {JestResults}
 */
export function withRepeatedFiles(first, second) {
  const again = new Set(second.testResults.map(({ name }) => name));
  const replaced = first.testResults.filter(({ name }) => again.has(name));
  const kept = first.testResults.filter(({ name }) => !again.has(name));
  return {
    ...first,
    numPassedTests: first.numPassedTests - testsOf(replaced, 'passed').length + second.numPassedTests,
    numFailedTests: first.numFailedTests - testsOf(replaced, 'failed').length + second.numFailedTests,
    numPendingTests: first.numPendingTests - testsOf(replaced, 'pending').length + second.numPendingTests,
    numTodoTests: first.numTodoTests - testsOf(replaced, 'todo').length + second.numTodoTests,
    numRuntimeErrorTestSuites:
      first.numRuntimeErrorTestSuites - replaced.filter(couldNotRun).length + second.numRuntimeErrorTestSuites,
    testResults: [...kept, ...second.testResults],
    repeatedTests: replaced.map((file) => failuresThatPassed(file, second)).filter(hasFailures),
  };
}

/**
 * What failed of a file in the first run and did not in the second.
 * @param {TestFileResult} file
 * @param {JestResults} second
 * @returns {TestFileResult}
 */
function failuresThatPassed(file, second) {
  const passed = testsOf(
    second.testResults.filter(({ name }) => name === file.name),
    'passed',
  ).map(({ fullName }) => fullName);
  const assertionResults = testsOf([file], 'failed').filter(({ fullName }) => passed.includes(fullName));
  return { ...file, message: couldNotRun(file) && passed.length > 0 ? file.message : '', assertionResults };
}

/** @param {TestFileResult} file */
function hasFailures(file) {
  return file.assertionResults.length > 0 || couldNotRun(file);
}

/** @param {TestFileResult} file */
function couldNotRun({ assertionResults, message }) {
  return assertionResults.length === 0 && message !== '';
}

/**
 * @param {readonly TestFileResult[]} files
 * @param {string} status
 */
function testsOf(files, status) {
  return files.flatMap(({ assertionResults }) => assertionResults.filter((test) => test.status === status));
}
