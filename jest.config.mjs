// A test file's name says when it runs:
//
//   <what>.test.ts                 unit test: in every tier
//   <what>.integration.test.ts     inner tier, on Node 24 and SDK 3.x; full tier, on every combination that it names
//   <what>.full.test.ts            full tier only
//   <what>.long.test.ts            long tier only
//   <what>.waiting.<tier>.test.ts  its programs mostly wait: `test.concurrent` two at a time in each file
//   <what>.calm.<tier>.test.ts     needs a calm machine: runs after the others, alone; `test.concurrent` two at a time
//
// A file under test/page/ needs a browser: not in the inner tier. The files of packages/e2e need the servers of the
// stack and run apart.
//
//   npm test                     inner tier: what a contributor waits for
//   npm run test:full            full tier: unit, integration and full tests
//   npm run test:long            long tier: the long tests alone
//   npm run test:field           the programs of packages/field, which the long tier runs too
//   npm run test:e2e             end-to-end tests
//   npm run test:kubernetes      the tests of packages/e2e/test/kubernetes, in a real Kubernetes
//   npm test -- lag              the files of any tier whose path contains "lag", on Node 24 and SDK 3.x
//   npm run test:full -- lag     the same files, on every combination that they name
//   npm test -- lag -t 'words'   what follows the first dash goes to Jest
//
// The tier reaches the tests as LOOPWATCH_TEST_TIER: packages/test-support gives them the combinations of the tier.
// scripts/jest/ reads the names, selects the files and starts Jest with native ES modules.
import path from 'node:path';

import { rootDirectory } from './scripts/lib/paths.mjs';
import { testDirectories } from './scripts/jest/test-files.mjs';

const instrumentation = path.join(rootDirectory, 'packages/instrumentation-event-loop');

export default {
  roots: testDirectories(),
  testMatch: ['**/*.test.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    'watchdog-source\\.virtual\\.mjs$': path.join(instrumentation, 'build/watchdog-jest-transform.mjs'),
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: false } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: {
    '^virtual:deferred$': path.join(instrumentation, 'build/deferred-jest.mjs'),
    '^virtual:watchdog-source$': path.join(instrumentation, 'build/watchdog-source.virtual.mjs'),
    // NodeNext writes the extension of the output; Jest reads the source.
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['/dist/', '/temp/'],
};
