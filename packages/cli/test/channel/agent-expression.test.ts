import { runInThisContext } from 'node:vm';

import { afterEach, expect, test } from '@jest/globals';

import { agentExpression } from '../../src/channel/agent-expression.js';

const FOREIGN = Symbol.for('loopwatch.of-the-program');
const OWN = Symbol.for('loopwatch.of-the-agent');
const options = {
  port: 1,
  greeting: '',
  config: { thresholdMs: 100, countsStartUp: false, withArguments: false },
  isBlocked: false,
  answersAtStops: false,
};
const agent = (start: string): string =>
  `globalThis[Symbol.for('loopwatch.of-the-agent')] = 1; globalThis[Symbol.for('other')] = 1;
   exports.start = () => { ${start} };`;

const globals = runInThisContext('globalThis') as Record<symbol, unknown>;
const evaluate = (start: string): unknown => runInThisContext(agentExpression(agent(start), 'start', options));
const symbols = (): symbol[] => Object.getOwnPropertySymbols(globals);

afterEach(() => {
  for (const key of [FOREIGN, OWN, Symbol.for('other')]) Reflect.deleteProperty(globals, key);
});

test.each([
  ['throws', "throw new Error('EACCES')", 'one in which the agent does not start (EACCES)'],
  ['refuses', "return 'one that is watched'", 'one that is watched'],
])('an agent that %s leaves nothing of its own on the global object', (_label, start, expected) => {
  globals[FOREIGN] = 1;
  expect(evaluate(start)).toBe(expected);
  expect(symbols()).toContain(FOREIGN);
  expect(symbols()).not.toContain(OWN);
});

test('an agent that starts keeps what it needs', () => {
  expect(evaluate('return 3')).toBe(3);
  expect(symbols()).toContain(OWN);
});
