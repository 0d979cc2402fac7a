import { expect, test } from '@jest/globals';

import { commandOf, type ProcessInfo } from '../../src/cli/inspect/processes.js';

const process = (args: readonly string[]): ProcessInfo => ({
  pid: 1,
  processId: 1,
  name: 'node',
  innerPid: 1,
  parentPid: 0,
  userId: 0,
  state: 'S',
  cpuMs: 0,
  startedMs: 0,
  hasExecuted: true,
  ageMs: 0,
  catchesSigusr1: true,
  executable: '/usr/bin/node',
  args,
});

test.each([
  [['node', 'server.js', '--name', ''], 'node server.js --name'],
  // A title that a program has set overwrites its arguments, and is filled up with blanks or zero bytes.
  [['PM2 v7.0.4: God Daemon (/home/node/.pm2)          ', '', ''], 'PM2 v7.0.4: God Daemon (/home/node/.pm2)'],
  [[], '/usr/bin/node'],
  [[''], '/usr/bin/node'],
])('the command of a process with the arguments %j is %j', (args, command) => {
  expect(commandOf(process(args))).toBe(command);
});
