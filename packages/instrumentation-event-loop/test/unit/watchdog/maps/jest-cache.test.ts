import { expect, test } from '@jest/globals';
import { isJest } from '../../../../src/watchdog/maps/jest-cache.js';

test.each([
  '/app/node_modules/.bin/jest',
  '/app/node_modules/jest/bin/jest.js',
  'C:\\app\\node_modules\\jest-cli\\bin\\jest.js',
  '/app/node_modules/.pnpm/jest-worker@30.5.1/node_modules/jest-worker/build/processChild.js',
])('%s is Jest', (script) => {
  expect(isJest(script)).toBe(true);
});

test.each([undefined, '/app/dist/server.js', '/app/jest.config.js', '/app/src/jester/main.js'])(
  '%s is another program, also where a test of Jest has started it',
  (script) => {
    process.env['JEST_WORKER_ID'] ??= '1';
    expect(isJest(script)).toBe(false);
  },
);
