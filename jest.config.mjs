import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const instrumentation = path.join(root, 'packages/instrumentation-event-loop');
const swcOptions = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: false } },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

// Sources are ES modules and stay so in the tests: `scripts/test.mjs` starts Jest with --experimental-vm-modules.
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    'watchdog-source\\.virtual\\.mjs$': path.join(instrumentation, 'build/watchdog-jest-transform.mjs'),
    '\\.ts$': ['@swc/jest', swcOptions],
  },
  moduleNameMapper: {
    '^virtual:watchdog-source$': path.join(instrumentation, 'build/watchdog-source.virtual.mjs'),
    // NodeNext writes the extension of the output; Jest reads the source.
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['/dist/', '/temp/'],
};

/**
 * Every folder with tests is a project; its `*.integration.test.ts` are one of their own, named `<folder>:integration`,
 * which `npm test` runs in band. The end-to-end tests are all of that kind. What needs a browser, in `test/page`, is
 * `<folder>:browser`.
 */
function projectsOf(directory) {
  const name = path.basename(directory);
  const base = { ...shared, rootDir: directory, roots: ['<rootDir>/test'] };
  const timed = { ...base, setupFilesAfterEnv: [path.join(root, 'scripts/lib/second-try.mjs')] };
  if (name === 'e2e') return [{ ...timed, displayName: name, testMatch: ['<rootDir>/test/**/*.test.ts'] }];
  const page = '<rootDir>/test/page/';
  const browser = { ...timed, displayName: `${name}:browser`, testMatch: [`${page}**/*.test.ts`] };
  return [
    ...(existsSync(path.join(directory, 'test/page')) ? [browser] : []),
    {
      ...base,
      displayName: name,
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['\\.integration\\.test\\.ts$', page],
    },
    {
      ...timed,
      displayName: `${name}:integration`,
      testMatch: ['<rootDir>/test/**/*.integration.test.ts'],
      testPathIgnorePatterns: [page],
    },
  ];
}

const packagesDirectory = path.join(root, 'packages');
const directories = [
  ...readdirSync(packagesDirectory).map((name) => path.join(packagesDirectory, name)),
  path.join(root, 'dashboards'),
  path.join(root, 'scripts'),
].filter((directory) => existsSync(path.join(directory, 'test')));

export default {
  projects: directories.flatMap(projectsOf),
};
