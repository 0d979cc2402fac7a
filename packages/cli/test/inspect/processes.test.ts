import { expect, test } from '@jest/globals';

import { commandLineOf, commandOf, type ProcessInfo } from '../../src/cli/inspect/process/processes.js';

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
  [['node', 'server.js', '--name', ''], 'node server.js', 'node server.js --name'],
  [['/opt/my node/node', '', ''], '/opt/my node/node', '/opt/my node/node'],
  // A title that a program has set overwrites its arguments, and is filled up with blanks or zero bytes.
  [['PM2 v7.0.4: God Daemon (/home/node/.pm2)          ', '', ''], 'PM2', 'PM2 v7.0.4: God Daemon (/home/node/.pm2)'],
  [['npm run start --auth abc', '', ''], 'npm', 'npm run start --auth abc'],
  [[], '/usr/bin/node', '/usr/bin/node'],
  [[''], '/usr/bin/node', '/usr/bin/node'],
])('the command of a process with the arguments %j is %j, and %j with its arguments', (args, command, line) => {
  expect(commandOf(process(args))).toBe(command);
  expect(commandLineOf(process(args))).toBe(line);
});
