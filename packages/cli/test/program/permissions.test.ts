import { tmpdir } from 'node:os';

import { expect, test } from '@jest/globals';

import { preloadPermission } from '../../src/cli/program/permissions.js';

const PRELOAD = '/srv/tools/loopwatch/dist/preload.cjs';
const CHANNEL = [`--allow-fs-read=${tmpdir()}`, `--allow-fs-write=${tmpdir()}`];

function permissionOf(command: readonly string[], nodeOptions?: string): ReturnType<typeof preloadPermission> {
  return preloadPermission(PRELOAD, command, nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }, '/srv');
}

test.each([
  [['node', 'server.js']],
  [['node', '-r', './hook.js', 'server.js', '--permission']],
  [['node', '--', 'server.js', '--experimental-permission']],
  [['node', '--permission', '--allow-fs-read=*', '--allow-fs-write=*', 'server.js']],
  [['node', '--permission', '--allow-fs-read=/srv/tools', ...CHANNEL, 'server.js']],
  [['node', '--permission', '--allow-fs-read', 'tools/', ...CHANNEL, 'server.js']],
  [['node', '--experimental-permission', '--allow-fs-read=/app,/srv/tools/loop*', ...CHANNEL, 'server.js']],
])('%j may read the preload and write to the channel', (command) => {
  expect(permissionOf(command)).toBeUndefined();
});

test('the options are named that a program lacks which may read everything and write nothing', () => {
  const permission = permissionOf(['node', '--experimental-permission', '--allow-fs-read=*', 'server.js']);
  expect(permission).toEqual({
    mayRead: true,
    endsProgram: false,
    remedy: expect.stringContaining(
      `Add --allow-fs-write=${tmpdir()}/loopwatch-* --allow-worker, and from Node.js 24 on --allow-inspector.`,
    ),
  });
});

test.each([
  [['node', '--experimental-permission', 'server.js'], undefined, true],
  [['node', '--permission', '--allow-fs-read=/srv/tool', 'server.js'], undefined, false],
  [['env', '-i', '/opt/node/bin/node', '-r', './hook.js', '--permission', 'server.js'], undefined, false],
  [['npm', 'start'], '--experimental-permission --allow-fs-read="/app"', true],
])('%j with NODE_OPTIONS=%s may not', (command, nodeOptions, endsProgram) => {
  expect(permissionOf(command, nodeOptions)).toEqual({
    mayRead: false,
    endsProgram,
    remedy: expect.stringContaining('Add --allow-fs-read=/srv/tools/loopwatch/dist/ '),
  });
});
