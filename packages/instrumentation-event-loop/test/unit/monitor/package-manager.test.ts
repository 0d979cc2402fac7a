import { expect, test } from '@jest/globals';
import { isPackageManager } from '../../../src/monitor/package-manager.js';

test.each([
  ['/usr/local/lib/node_modules/npm/bin/npm-cli.js', true],
  ['C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js', true],
  ['/usr/lib/node_modules/corepack/dist/pnpm.js', true],
  ['/root/.npm/_npx/1/node_modules/pnpm/bin/pnpm.cjs', true],
  ['/app/node_modules/next/dist/bin/next', false],
  ['/app/npm/server.js', false],
  [undefined, false],
])('%s is a package manager: %j', (script, isOne) => {
  expect(isPackageManager(script)).toBe(isOne);
});
