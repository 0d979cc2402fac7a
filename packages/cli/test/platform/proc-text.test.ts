import { describe, expect, test } from '@jest/globals';

import {
  inspectorPort,
  isNodeBinaryName,
  parseConnected,
  parseListening,
  parseLimit,
  parseNullSeparated,
  parseStat,
  parseStatus,
  parsePidsGroup,
  parsePollDescriptor,
  parseWakeUps,
  portOf,
} from '../../src/cli/platform/proc-text.js';

describe('/proc/PID/status', () => {
  const status = (fields: Readonly<Record<string, string>>): string =>
    Object.entries({ Name: 'node', Tgid: '4710', Pid: '4711', Uid: '1\t1000\t1\t1', NSpid: '4711\t7', ...fields })
      .map(([name, value]) => `${name}:\t${value}\n`)
      .join('');

  test('gives the effective user and the id inside the container', () => {
    expect(parseStatus(status({}))).toMatchObject({ userId: 1000, innerPid: 7 });
    // The id is that of a thread.
    expect(parseStatus(status({}))).toMatchObject({ name: 'node', processId: 4710 });
    expect(parseStatus(status({ NSpid: '' })).innerPid).toBe(4711);
  });

  test.each([
    ['0000000100004602', true], // Node.js
    ['0000000100004402', false], // Node.js with --disable-sigusr1
    ['0000000000000000', false], // sleep
    ['0000000000000200', true],
    ['fffffffffffffdff', false], // more bits than a number holds
    ['', false],
  ])('with the mask %j of caught signals: takes SIGUSR1: %j', (mask, expected) => {
    expect(parseStatus(status({ SigCgt: mask })).catchesSigusr1).toBe(expected);
  });
});

test.each([
  ['pos:\t0\nflags:\t02004002\neventfd-count:                2\neventfd-id: 7\n', 2],
  ['pos:\t0\neventfd-count:               1f\n', 31],
  ['pos:\t0\nflags:\t02004002\n', undefined],
])('/proc/PID/fdinfo/FD %j has the wake-ups %j', (text, expected) => {
  expect(parseWakeUps(text)).toBe(expected);
});

const LIMITS =
  'Limit                     Soft Limit           Hard Limit           Units\n' +
  'Max cpu time              unlimited            unlimited            seconds\n' +
  'Max processes             96474                96474                processes\n' +
  'Max open files            64                   4096                 files\n';

test.each([
  ['open files', 64],
  ['processes', 96_474],
  ['cpu time', Infinity],
  ['threads', Infinity],
])('/proc/PID/limits has the limit of %s: %d', (name, limit) => {
  expect(parseLimit(LIMITS, name)).toBe(limit);
});

test.each([
  ['9:name=systemd:/\n8:pids:/docker/3f5a\n0::/\n', '/sys/fs/cgroup/pids', '/docker/3f5a'],
  ['4:cpu,pids:/a:b\n', '/sys/fs/cgroup/pids', '/a:b'],
  ['0::/user.slice/run\n', '/sys/fs/cgroup', '/user.slice/run'],
  ['', '/sys/fs/cgroup', '/'],
])('the number of threads of /proc/PID/cgroup %j is limited in %s%s', (text, folder, group) => {
  expect(parsePidsGroup(text)).toEqual([folder, group]);
});

test.each([
  ['x64', '281 0x10 0x7fffcc2ce340 0x400 0x2b 0x0 0x8 0x7fffcc2ce300 0x7f84f3d26cae\n', 16],
  ['arm64', '22 0x10 0x7fffcc2ce340 0x400 0x2b 0x0 0x8 0x7fffcc2ce300 0x7f84f3d26cae\n', 16],
  // A read, a thread that runs, and what a system does not show.
  ['x64', '0 0x10 0x7fffcc2ce340 0x400 0x0 0x0 0x0 0x7fffcc2ce300 0x7f84f3d26cae\n', undefined],
  ['x64', 'running\n', undefined],
  ['x64', undefined, undefined],
  ['riscv64', '22 0x10 0x7fffcc2ce340\n', undefined],
] as const)('on %s, /proc/PID/syscall %j waits for events of the descriptor %j', (architecture, text, expected) => {
  expect(parsePollDescriptor(text, architecture)).toBe(expected);
});

describe('/proc/PID/stat', () => {
  const rest = `S 42 ${'0 '.repeat(9)}150 50 0 0 20 0 11 0 6000 0 0`;

  test.each(['node', 'a) S 1', '((', 'x y'])('is read after the name (%s), which may contain anything', (name) => {
    expect(parseStat(`4711 (${name}) ${rest}`)).toEqual({
      state: 'S',
      parentPid: 42,
      cpuMs: 2000,
      startedMs: 60_000,
      hasExecuted: true,
    });
  });

  test('shows a process that was forked and still runs the program of its parent', () => {
    const flags = (text: string): string => `4711 (node) S 42 42 42 0 -1 ${text} ${rest.split(' ').slice(7).join(' ')}`;
    expect(parseStat(flags('4194368'))?.hasExecuted).toBe(false);
    expect(parseStat(flags('4194304'))?.hasExecuted).toBe(true);
  });

  test('of a process that has ended is empty', () => {
    expect(parseStat('')).toBeUndefined();
  });
});

test('arguments are separated by null characters; an empty argument counts', () => {
  expect(parseNullSeparated('node\0\0app.js\0')).toEqual(['node', '', 'app.js']);
  expect(parseNullSeparated('')).toEqual([]);
});

test('of the sockets, those that listen are read, with the address to reach them', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:240D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 0 100 0
   1: 0100007F:1F90 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 12346 1 0 100 0
   2: 00000000:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12347 1 0 100 0
   3: 00000000000000000000000001000000:240E 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 12348 1
`;
  expect(parseListening(table)).toEqual([
    { port: 9229, host: '127.0.0.1', inode: '12345' },
    { port: 3000, host: '127.0.0.1', inode: '12347' },
    { port: 9230, host: '[::1]', inode: '12348' },
  ]);
  expect(parseConnected(table)).toEqual([{ port: 8080, remotePort: 0x9999, inode: '12346' }]);
});

test.each([
  ['/usr/bin/node', true],
  ['/usr/bin/nodejs', true],
  ['/opt/node-v22.1.0/bin/node (deleted)', true],
  ['/usr/bin/node20', true],
  ['/usr/bin/node_exporter', false],
  ['/usr/bin/bun', false],
  ['/usr/bin/nodemon', false],
  ['', false],
])('%s is a Node.js binary by its name: %j', (executable, expected) => {
  expect(isNodeBinaryName(executable)).toBe(expected);
});

test.each([
  [[], '', 9229],
  [['node', '--inspect-port=1234', 'app.js'], '', 1234],
  [['node', '--inspect=0.0.0.0:1235'], '', 1235],
  [['node', '--inspect'], '', 9229],
  [['node', '--inspect-brk=[::1]:1236'], '', 1236],
  [['node', '--inspect-port=127.0.0.1'], '', 9229],
  [['node'], '--max-old-space-size=1 --inspect-port=1237', 1237],
  [['node', '--inspect-port=0'], '--inspect-port=1237', 0],
])('with %j and NODE_OPTIONS=%j, the inspector opens on port %d', (args, nodeOptions, expected) => {
  expect(inspectorPort(args, nodeOptions)).toBe(expected);
});

test('a cluster worker that has set its title hides the port of its inspector', () => {
  const options = 'NODE_OPTIONS=--inspect-port=9300';
  const worker = ['NODE_UNIQUE_ID=1', options];
  expect(portOf(['node', '--inspect-port=9301', 'a.js'], worker, [])).toBe(9301);
  expect(portOf(['node /app/a.js'], worker, [])).toBe(0);
  expect(portOf(['node /app/a.js'], ['NODE_UNIQUE_ID=1'], ['node', '--inspect-port=9300', 'a.js'])).toBe(0);
  expect(portOf(['node /app/a.js'], [options], [])).toBe(9300);
  expect(portOf(['node', 'a.js'], ['NODE_UNIQUE_ID=1'], ['node', 'a.js'])).toBe(9229);
});
