import { expect, test } from '@jest/globals';
import { isPackageManager } from '../../../src/monitor/package-manager.js';

test.each([
  ['/usr/local/lib/node_modules/npm/bin/npm-cli.js', true],
  ['C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js', true],
  ['/usr/lib/node_modules/corepack/dist/pnpm.js', true],
  ['/home/me/.npm/_npx/1/node_modules/pnpm/bin/pnpm.cjs', true],
  ['/srv/shop/.yarn/releases/yarn-4.5.0.cjs', true],
  ['/app/node_modules/next/dist/bin/next', false],
  ['/opt/tools/corepack-home/v1/pnpm/10.1.0/bin/pnpm.cjs', true],
  ['/usr/share/nodejs/npm/bin/npm-cli.js', true],
  ['/app/npm/server.js', false],
  ['/home/me/share/npm/server.js', false],
  ['/srv/api/v1/npm/server.js', false],
  [undefined, false],
])('%s is a package manager: %j', (script, isOne) => {
  expect(isPackageManager(script)).toBe(isOne);
});

test('a package manager is recognised behind the link by which the shell finds it', () => {
  const realPath = (path: string): string =>
    path === '/usr/bin/npm' ? '/usr/lib/node_modules/npm/bin/npm-cli.js' : path;
  expect(isPackageManager('/usr/bin/npm', realPath)).toBe(true);
  expect(isPackageManager('/usr/bin/node-app', realPath)).toBe(false);
});
