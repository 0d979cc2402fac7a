import { expect, test } from '@jest/globals';

import { readConfig } from '../src/service/config.js';

test('an empty environment gives the defaults', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    dataDirectory: undefined,
    transactionTimeoutMs: 1000,
    hangRoute: false,
    release: 1,
  });
});

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', HOST: '' })).toEqual(readConfig({}));
});

test.each([{ PORT: 'http' }, { PORT: '70000' }, { DEMO_TRANSACTION_TIMEOUT_MS: '1' }, { DEMO_HANG_ROUTE: 'yes' }])(
  'the error for %j names the variable',
  (environment: Record<string, string>) => {
    expect(() => readConfig(environment)).toThrow(Object.keys(environment)[0]);
  },
);
