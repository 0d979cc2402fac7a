import { describe, expect, test } from '@jest/globals';

import { type UnwatchedProcess, unwatchedSentences } from '../../src/model/processes/unwatched.js';
import { nothingWatchedSentence } from '../../src/model/report/remarks.js';

const unwatched = (command: string, overrides: Partial<UnwatchedProcess> = {}): UnwatchedProcess => ({
  pid: 1,
  command,
  reason: 'node_options_replaced',
  ...overrides,
});

describe('the sentence about processes that were not watched', () => {
  test.each<[string, UnwatchedProcess[], string]>([
    [
      'one',
      [unwatched('node b.js')],
      '1 Node.js process was not watched: its NODE_OPTIONS was replaced (node b.js). ' +
        'Where it is set, add to it instead: NODE_OPTIONS="$NODE_OPTIONS …"',
    ],
    [
      'several, and some with the same command',
      ['node b.js', 'node b.js', 'node c.js', 'node d.js', 'node e.js'].map((command) => unwatched(command)),
      '5 Node.js processes were not watched: their NODE_OPTIONS was replaced (node b.js, node c.js, node d.js and 1 other). ' +
        'Where it is set, add to it instead: NODE_OPTIONS="$NODE_OPTIONS …"',
    ],
    [
      'an environment of its own',
      [unwatched('node b.js', { reason: 'node_options_removed' })],
      '1 Node.js process was not watched: its environment has no NODE_OPTIONS (node b.js). ' +
        'Where the environment is made, pass on NODE_OPTIONS and LOOPWATCH_RUN_DIRECTORY.',
    ],
    [
      'an option that prints what Loopwatch does',
      [unwatched('node --trace-sync-io b.js', { reason: 'shown_by_node', option: '--trace-sync-io' })],
      '1 Node.js process was not watched: with --trace-sync-io, Node.js would print what Loopwatch does ' +
        '(node --trace-sync-io b.js). Run it without --trace-sync-io.',
    ],
    [
      'another user',
      [unwatched('node b.js', { reason: 'other_user' })],
      '1 Node.js process was not watched: its user is another one (node b.js). Start loopwatch as that user.',
    ],
    [
      'one that goes on after the end of the program',
      [unwatched('node b.js', { pid: 4711, reason: 'outlives_program' })],
      'The program has ended; 1 Node.js process goes on, and is no longer watched (node b.js). ' +
        'To watch it: loopwatch attach 4711',
    ],
    [
      'several that go on',
      [1, 2, 3, 4].map((pid) => unwatched('node b.js', { pid, reason: 'outlives_program' })),
      'The program has ended; 4 Node.js processes go on, and are no longer watched (node b.js). ' +
        'To watch one: loopwatch attach PID (1, 2, 3, …)',
    ],
  ])('%s', (_what, processes, sentence) => {
    expect(unwatchedSentences(processes)).toEqual([sentence]);
  });

  test('is one for each reason, and none without such processes', () => {
    const processes = [unwatched('a'), unwatched('b', { reason: 'node_options_removed' }), unwatched('c')];
    expect(unwatchedSentences(processes).map((text) => text.slice(0, 25))).toEqual([
      '2 Node.js processes were ',
      '1 Node.js process was not',
    ]);
    expect(unwatchedSentences([])).toEqual([]);
  });

  test('has short paths, and is cut where the command is long', () => {
    const command = '/usr/local/bin/node /app/node_modules/next/dist/bin/next build';
    expect(unwatchedSentences([unwatched(command)]).join()).toContain('(node next/dist/bin/next build)');
    expect(unwatchedSentences([unwatched('node /app/src/b.js')], '/app').join()).toContain('(node src/b.js)');
    expect(unwatchedSentences([unwatched(`node ${'x'.repeat(200)}`)]).join()).toContain(`(node ${'x'.repeat(54)}…)`);
  });
});

test('where nothing was watched, possible reasons are given only if none is known', () => {
  expect(nothingWatchedSentence({ processes: [] })).toMatch(/has reported\. Loopwatch cannot follow/);
  expect(nothingWatchedSentence({ processes: [] }, true)).toMatch(/the process has written no record/);
  expect(nothingWatchedSentence({ processes: [], unwatchedProcesses: [unwatched('node b.js')] })).toMatch(
    /has reported\.$/,
  );
});
