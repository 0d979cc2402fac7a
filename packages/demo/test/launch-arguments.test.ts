import { expect, test } from '@jest/globals';

import { parseLaunchArguments } from '../src/launch/arguments.js';

test('one release is deployed by default, and two with --release 2', () => {
  expect(parseLaunchArguments([], false)).toMatchObject({ release: 1 });
  expect(parseLaunchArguments(['--release', '2'], false)).toMatchObject({ release: 2 });
});

test('a release that does not exist is refused, with those that do', () => {
  expect(() => parseLaunchArguments(['--release', '3'], false)).toThrow(/--release 3: .*"1"\|"2"/);
});
