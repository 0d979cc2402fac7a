import { describe, expect, test } from '@jest/globals';

import { mayBePackageManager, unwatchedReason } from '../../src/cli/inspect/program/unwatched-reason.js';

const preload = '/opt/my "tools"/loopwatch/dist/preload.cjs';
const directory = '/tmp/loopwatch-abc';
const quoted = '"/opt/my \\"tools\\"/loopwatch/dist/preload.cjs"';
const channel = `LOOPWATCH_RUN_DIRECTORY=${directory}`;

describe('a process with this environment', () => {
  test.each<[string, string[], string | undefined]>([
    ['that of the program', [channel, `NODE_OPTIONS=--require ${quoted}`], undefined],
    ['an option in addition', [channel, `NODE_OPTIONS=--max-old-space-size=4096 --require ${quoted}`], undefined],
    ['the option in another form', [channel, `NODE_OPTIONS=--require=${preload}`], undefined],
    ['another NODE_OPTIONS', [channel, 'NODE_OPTIONS=--max-old-space-size=4096'], 'node_options_replaced'],
    ['an empty NODE_OPTIONS', [channel, 'NODE_OPTIONS='], 'node_options_replaced'],
    ['another preload', [channel, 'NODE_OPTIONS=--require /x/preload.cjs'], 'node_options_replaced'],
    ['no NODE_OPTIONS', [channel, 'PATH=/bin'], 'node_options_removed'],
    ['nothing', [], 'node_options_removed'],
    ['no channel', [`NODE_OPTIONS=--require ${quoted}`], 'directory_removed'],
    ['an empty channel', ['LOOPWATCH_RUN_DIRECTORY=', `NODE_OPTIONS=--require ${quoted}`], 'directory_removed'],
    ['that of another loopwatch', ['LOOPWATCH_RUN_DIRECTORY=/tmp/loopwatch-xyz', 'NODE_OPTIONS='], undefined],
    ['a variable whose name ends alike', [channel, `MY_NODE_OPTIONS=--require ${quoted}`], 'node_options_removed'],
  ])('%s', (_what, environment, reason) => {
    expect(unwatchedReason(environment, { preload, directory })).toBe(reason);
  });

  test('that of the program, of another user, who may not use the channel', () => {
    const environment = [channel, `NODE_OPTIONS=--require ${quoted}`];
    expect(unwatchedReason(environment, { preload, directory }, true)).toBe('other_user');
    expect(unwatchedReason([channel], { preload, directory }, true)).toBe('node_options_removed');
  });
});

describe('a package manager, about which nothing is said,', () => {
  const realPath = (file: string): string => {
    if (file === '/usr/bin/npm') return '/usr/lib/node_modules/npm/bin/npm-cli.js';
    if (file.startsWith('/app/')) return file;
    throw new Error('ENOENT');
  };
  test.each([
    [['node', '/usr/bin/npm', 'test'], true],
    [['node', '--no-warnings', '/usr/bin/npm', 'test'], true],
    [['node', '.yarn/releases/yarn-4.5.0.cjs', 'build'], true],
    [['npm run build', '', ''], true],
    [['npm', '', ''], true],
    [['node', 'npm.js'], false],
    [['node', 'b.js'], false],
    [['npmish server'], false],
    [[], false],
  ])('%j: %j', (args, expected) => {
    expect(mayBePackageManager(args, '/app', realPath)).toBe(expected);
  });
});
