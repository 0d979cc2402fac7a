import { expect, test } from '@jest/globals';

import { preloadPermission } from '../../src/cli/program/permissions.js';

const PRELOAD = '/srv/tools/loopwatch/dist/preload.cjs';

function permissionOf(command: readonly string[], nodeOptions?: string): ReturnType<typeof preloadPermission> {
  return preloadPermission(PRELOAD, command, nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }, '/srv');
}

test.each([
  [['node', 'server.js']],
  [['node', '--permission', '--allow-fs-read=*', 'server.js']],
  [['node', '--permission', '--allow-fs-read=/srv/tools', 'server.js']],
  [['node', '--permission', '--allow-fs-read', 'tools/', 'server.js']],
  [['node', '--experimental-permission', '--allow-fs-read=/app,/srv/tools/loop*', 'server.js']],
])('%j may read the preload', (command) => {
  expect(permissionOf(command)).toBeUndefined();
});

test.each([
  [['node', '--experimental-permission', 'server.js'], undefined, true],
  [['node', '--permission', '--allow-fs-read=/srv/tool', 'server.js'], undefined, false],
  [['npm', 'start'], '--experimental-permission --allow-fs-read="/app"', true],
])('%j with NODE_OPTIONS=%s may not', (command, nodeOptions, endsProgram) => {
  expect(permissionOf(command, nodeOptions)).toEqual({
    endsProgram,
    remedy: expect.stringContaining('Add --allow-fs-read=/srv/tools/loopwatch/dist/ '),
  });
});
