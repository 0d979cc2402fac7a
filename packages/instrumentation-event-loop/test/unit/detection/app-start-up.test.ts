import timers from 'node:timers';
import { expect, test } from '@jest/globals';
import { isAppStarted } from '../../../src/detection/app-start-up.js';

test('an application that has armed a timer has started', () => {
  const timer = timers.setTimeout(() => undefined, 1e6);
  expect(isAppStarted()).toBe(true);
  timers.clearTimeout(timer);
});
