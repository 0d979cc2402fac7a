import { describe, expect, test } from '@jest/globals';
import { isPackageManager } from '../../../src/monitor/package-manager.js';

const asIs = (path: string): string => path;

describe('a package manager', () => {
  test('is recognised behind the link by which the shell finds it', () => {
    const realPath = (path: string): string =>
      path === '/usr/bin/npm' ? '/usr/lib/node_modules/npm/bin/npm-cli.js' : path;
    expect(isPackageManager('/usr/bin/npm', realPath)).toBe(true);
    expect(isPackageManager('/usr/bin/npm', asIs)).toBe(false);
  });

  test.each([
    '/usr/local/lib/node_modules/npm/bin/npx-cli.js',
    '/home/me/.nvm/versions/node/v24.1.0/lib/node_modules/pnpm/bin/pnpm.cjs',
    '/home/me/.cache/node/corepack/v1/pnpm/10.1.0/bin/pnpm.cjs',
    '/opt/tools/corepack-home/v1/pnpm/10.1.0/bin/pnpm.cjs',
    '/opt/tools/managers/v1/yarn/4.5.0/yarn.js',
    '/srv/shop/node_modules/@yarnpkg/cli-dist/bin/yarn.js',
    '/srv/shop/.yarn/releases/yarn-4.5.0.cjs',
    '/usr/share/nodejs/npm/bin/npm-cli.js',
    '/usr/share/yarn/bin/yarn.js',
    '/usr/lib/node_modules/corepack/dist/pnpm.js',
    '/home/me/.npm/_npx/1/node_modules/pnpm/bin/pnpm.cjs',
    'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js',
  ])('is recognised at %s', (path) => {
    expect(isPackageManager(path, asIs)).toBe(true);
  });

  test.each([
    '/srv/shop/app.js',
    '/srv/npm/server.js',
    '/home/me/share/npm/server.js',
    '/home/me/.local/share/yarn/reports/build.js',
    '/srv/api/v1/npm/server.js',
    '/srv/api/v2/yarn/prices/index.js',
    '/srv/shop/node_modules/next/dist/bin/next',
    '/srv/shop/node_modules/npm-run-all/bin/run-p/index.js',
    '/srv/shop/yarn.js',
  ])('is not %s', (path) => {
    expect(isPackageManager(path, asIs)).toBe(false);
  });

  test('is no program that cannot be resolved, or none at all', () => {
    const missing = (): never => {
      throw new Error('ENOENT');
    };
    expect(isPackageManager('/srv/gone.js', missing)).toBe(false);
    expect(isPackageManager('/usr/lib/node_modules/npm/bin/npm-cli.js', missing)).toBe(true);
    expect(isPackageManager(undefined, missing)).toBe(false);
  });
});
