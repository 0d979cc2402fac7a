import { expect, test } from '@jest/globals';

import { nodeVersionProblem } from '../lib/node-version.mjs';

test.each(['20.6.0', '20.20.2', '22.0.0', '24.21.0'])('Node %s can start the workspace', (version) => {
  expect(nodeVersionProblem(version)).toBeUndefined();
});

test.each(['20.5.1', '18.20.8', '8.17.0'])('Node %s is refused, with what to do', (version) => {
  const problem = nodeVersionProblem(version);
  expect(problem).toContain('Expected Node.js 20.6 or later');
  expect(problem).toContain(`got ${version}`);
  expect(problem).toContain('Install a current Node.js');
});
