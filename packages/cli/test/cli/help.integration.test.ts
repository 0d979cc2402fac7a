import { describe, expect, test } from '@jest/globals';

import { runCli } from '../support/cli.js';

describe('the command line', () => {
  test.each([
    [['--help']],
    [['run', '--help']],
    [['serve', '--help']],
    [['ps', '--help']],
    [['dump', '--help']],
    [['attach', '--help']],
    [['doctor', '--help']],
    [['compare', '--help']],
    [['mcp', '--help']],
  ])('prints its help: loopwatch %j', async (args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.toString()).toMatchSnapshot();
    expect(
      stdout
        .toString()
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  test('prints its version', async () => {
    const { code, stdout } = await runCli(['--version']);
    expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  test.each([
    [['serve', '--port', 'http'], 'Expected a port from 0 to 65535.'],
    [['serve', '--retention', '5'], 'Expected a duration above 0, such as 30s, 10m, 2h or 1d.'],
    [['serve', '--jaeger', 'localhost'], 'Expected a URL such as http://localhost:16686.'],
    [['run', '--threshold', '1', '--', 'node'], 'Expected at least 10 ms'],
    [['run', '--fail-on', 'never', '--', 'node'], 'Expected a number of milliseconds, at least 10.'],
    [
      ['attach', '--inspect', 'localhost:9229'],
      'Expected the address that Node.js prints, such as ws://127.0.0.1:9229.',
    ],
    [['run', '--kill-after', '0.5', '--', 'node'], 'Expected a number of seconds, at least 1, such as 30'],
    [['dump', 'app.js'], 'Expected the id of a process.'],
    [['dump', '0'], 'Expected the id of a process.'],
    [['dump', '1', '--timeout', '5'], 'Expected a duration above 0, such as'],
    [['run', '--open', '--', 'node'], 'Expected --report <file> with --open'],
    [['compare', 'a.json', '--with', 'b.json', '--open'], 'Expected --report <file> with --open'],
    [['run', '--json', '-q', '--', 'node'], 'found the option -q. A file of that name is ./-q'],
    [['run', '--report', '--', 'node', '-v'], 'Expected a value, found the option --.'],
    [['run', '--speedscope', '', '--', 'node'], 'Expected a value, found an empty one.'],
    [['attach', '--pprof', '--all', '1'], 'found the option --all'],
    [['serve', '--keep', '--print'], 'found the option --print'],
    [['serve', '--host', '--print'], 'found the option --print'],
    [['compare', 'a.json', '--with', '--json', 'b.json'], 'found the option --json'],
    [['run'], "missing required argument 'command'"],
    [['compare', 'a.json'], "required option '--with <head.json...>' not specified"],
    [['walk'], "unknown command 'walk'"],
  ])('refuses %j, prints what it expects, and where the options are', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout.toString()]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Run it with --help to see the options.');
  });
});
