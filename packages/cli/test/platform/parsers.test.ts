import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { connectedAmong, listeningAmong, parseOpenFiles } from '../../src/cli/platform/lsof-text.js';
import { parseCpuTime, parseEnvironment, parseNames, parseProcesses } from '../../src/cli/platform/ps-text.js';
import { parseCim, parseNetstat } from '../../src/cli/platform/windows-text.js';

const recorded = (name: string): string => readFileSync(new URL(`recorded/${name}`, import.meta.url), 'utf8');
const NOW = Date.parse('Tue Nov 25 10:02:03 2026');

describe('ps of macOS', () => {
  const names = parseNames(recorded('ps-names-macos.txt'));
  const processes = parseProcesses(recorded('ps-macos.txt'), names, NOW);
  const byId = (pid: number) => processes.find((info) => info.pid === pid);

  test('shows each process', () => {
    expect(processes.map(({ pid }) => pid)).toEqual([1, 512, 4711, 4712, 4713, 4714]);
    expect(byId(4711)).toMatchObject({
      parentPid: 902,
      userId: 501,
      state: 'R',
      cpuMs: 67_920,
      ageMs: 60_000,
      executable: '/opt/homebrew/bin/node',
      args: ['/opt/homebrew/bin/node', '--inspect-port=9300', 'server.js', '--name', 'two', 'words'],
    });
    expect(byId(512)?.executable).toBe('/Applications/Visual Studio Code.app/Contents/MacOS/Electron');
    expect(byId(4713)?.state).toBe('Z');
  });

  test('says nothing of handlers of signals', () => {
    expect(processes.map(({ catchesSigusr1 }) => catchesSigusr1)).toEqual(processes.map(() => undefined));
  });

  test('keeps the name of a binary whose program has set a title', () => {
    expect(byId(4714)).toMatchObject({ name: 'node', args: ['npm', 'run', 'dev'], executable: '' });
  });
});

test.each([
  ['0:03.31', 3310],
  ['1:07.92', 67_920],
  ['123:04:05.50', 443_045_500],
  ['00:03:31', 211_000],
  ['2-03:04:05', 183_845_000],
  ['-', undefined],
  ['', undefined],
])('the CPU time %j is %j ms', (text, expected) => {
  expect(parseCpuTime(text)).toBe(expected);
});

test('the environment follows the command line, and an argument of the form of a variable is none', () => {
  const args = ['node', 'app.js', 'MODE=fast'];
  expect(parseEnvironment('node app.js MODE=fast HOME=/home/a NODE_OPTIONS=--require x PATH=/bin\n', args)).toEqual([
    'HOME=/home/a',
    'NODE_OPTIONS=--require x',
    'PATH=/bin',
  ]);
});

describe('lsof of macOS', () => {
  const files = parseOpenFiles(recorded('lsof-macos.txt'));

  test('shows the binary before its libraries, and the working directory', () => {
    expect(files.find(({ descriptor }) => descriptor === 'txt')?.name).toBe(
      '/opt/homebrew/Cellar/node/24.4.1/bin/node',
    );
    expect(files.find(({ descriptor }) => descriptor === 'cwd')?.name).toBe('/Users/ann/app');
  });

  test('shows the sockets', () => {
    const sockets = files.filter(({ type }) => type.startsWith('IP'));
    expect(listeningAmong(sockets.slice(0, 3)).map(({ host, port }) => `${host}:${port}`)).toEqual([
      '[::1]:3000',
      '127.0.0.1:9300',
      '[::1]:4318',
    ]);
    expect(connectedAmong(sockets)).toEqual([{ port: 9300, remotePort: 53771, inode: '0x8e6ffd1e27cc148b' }]);
  });
});

describe('Windows', () => {
  const processes = parseCim(recorded('cim-windows.json'), NOW);

  test('shows the processes, and of those of others less', () => {
    expect(processes.map(({ pid }) => pid)).toEqual([0, 5120, 5124]);
    expect(processes[1]).toMatchObject({
      parentPid: 880,
      cpuMs: 1250,
      executable: 'C:\\Program Files\\nodejs\\node.exe',
      args: ['C:\\Program Files\\nodejs\\node.exe', '--inspect-port=9300', 'server.js', 'two words'],
      startedMs: 1_764_064_863_000,
    });
    expect(processes[2]).toMatchObject({ executable: '', args: [], startedMs: Date.parse('2026-11-25T09:01:04.5Z') });
  });

  test('shows one process as an object', () => {
    const [, one] = JSON.parse(recorded('cim-windows.json')) as unknown[];
    expect(parseCim(JSON.stringify(one), NOW)).toEqual([processes[1]]);
  });

  test('shows the listening sockets in any language', () => {
    expect(
      parseNetstat(recorded('netstat-windows.txt')).map(({ pid, host, port }) => [pid, `${host}:${port}`]),
    ).toEqual([
      [5120, '127.0.0.1:3000'],
      [5120, '127.0.0.1:9300'],
      [5120, '[::1]:3000'],
      [5124, '[::1]:4318'],
    ]);
  });
});

test('no text makes a parser throw, or a port out of range or a host of another machine', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'p1',
      'f3',
      'tIPv4',
      'd7',
      'n*:80',
      'n1.2.3.4@evil:80',
      'nevil.example:80',
      'nlocalhost:99999',
      '[]',
      '{}',
    ),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join('\n');
      parseProcesses(text, parseNames(text), NOW);
      parseEnvironment(text, ['a']);
      parseCim(text, NOW);
      for (const { host } of [...listeningAmong(parseOpenFiles(text)), ...parseNetstat(text)]) {
        expect(host).toMatch(/^(\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/i);
      }
      connectedAmong(parseOpenFiles(text));
    }),
  );
});
