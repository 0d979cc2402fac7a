import { expect, test } from '@jest/globals';

import { onlyChecksSyntax, optionThatPrintsCalls, printsVariables } from '../../src/preload/node-output.js';

test.each([
  [['--trace-sync-io'], '', '--trace-sync-io'],
  [['--trace-atomics-wait'], '', '--trace-atomics-wait'],
  [['--trace-promises'], '', '--trace-promises'],
  [[], '--require "/x y/p.cjs"  --trace-sync-io', '--trace-sync-io'],
  [['--trace-warnings', '--no-trace-sync-io'], '--trace-exit', undefined],
  [[], undefined, undefined],
])('with %j and NODE_OPTIONS=%s, what prints the calls of Loopwatch is %s', (execArgv, nodeOptions, option) => {
  expect(optionThatPrintsCalls(execArgv, nodeOptions)).toBe(option);
});

test.each([
  [['--trace-env'], true],
  [['--trace-env-js-stack'], true],
  [['--trace-env-native-stack'], true],
  [['--trace-environment', '--trace-exit'], false],
])('with %j, variables that are read are printed: %j', (execArgv, expected) => {
  expect(printsVariables(execArgv)).toBe(expected);
});

test.each([
  [['--check'], true],
  [['-c'], true],
  [['-C', 'development'], false],
])('with %j, the program is only checked: %j', (execArgv, expected) => {
  expect(onlyChecksSyntax(execArgv)).toBe(expected);
});
