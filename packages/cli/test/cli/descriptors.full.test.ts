import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nodeMajors } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import type { Recording } from '../../src/model/recording/recording.js';
import { type CliOptions, type CliResult, fixture, runCli, startCli } from '../support/cli.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-test-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

function run(action: string, options: CliOptions = {}): Promise<CliResult> {
  const [json, file] = ['out.json', 'own'].map((name) => path.join(directory, name));
  return runCli(['run', '--quiet', '--json', json!, '--', 'node', fixture('descriptors.cjs'), action, file!], options);
}

async function culprits(): Promise<(string | undefined)[]> {
  const { blocks } = JSON.parse(await readFile(path.join(directory, 'out.json'), 'utf8')) as Recording;
  return blocks.map(({ culprit }) => culprit?.functionName);
}

describe('a program lives and is observed although it', () => {
  test.each(sampledMajors(22, 26))('closes stderr, on Node.js %d', async (major) => {
    const { code, signal, stdout } = await run('closes stderr', { major });
    expect({ code, signal, stdout: stdout.toString() }).toEqual({ code: 0, signal: null, stdout: 'lives\n' });
    expect(await culprits()).toContain('burnCpu');
  });

  test.each(['closes stdin', 'closes stderr later', 'closes stdin and stderr'])('%s', async (action) => {
    const { code, signal, stdout } = await run(action);
    expect({ code, signal, stdout: stdout.toString() }).toEqual({ code: 0, signal: null, stdout: 'lives\n' });
    expect(await culprits()).toContain('burnCpu');
  });

  test('redirects its stderr', async () => {
    expect((await run('redirects its stderr')).code).toBe(0);
    expect(await readFile(path.join(directory, 'own'), 'utf8')).toBe('redirected\n');
  });

  test('closes all files and opens its own, into which nothing else is written', async () => {
    expect((await run('closes all files and opens its own')).code).toBe(0);
    expect(await readFile(path.join(directory, 'own'), 'utf8')).toBe('');
    expect(await culprits()).toContain('burnCpu');
  });

  test.each(sampledMajors(20, 24))(
    'replaces the functions of fs, none of which is called, on Node.js %d',
    async (major) => {
      const { code, stdout } = await run('replaces the functions of fs', { major });
      expect([code, stdout.toString()]).toEqual([0, 'lives\n']);
      expect(await readFile(path.join(directory, 'own'), 'utf8')).toBe('');
      expect(await culprits()).toContain('burnCpu');
    },
  );

  test('deletes the temporary directory', async () => {
    const { code, stdout } = await run('deletes the temporary directory');
    expect([code, stdout.toString()]).toEqual([0, 'lives\n']);
    expect(await culprits()).toContain('burnCpu');
  });
});

(process.platform === 'linux' ? describe : describe.skip)('a program gets the descriptors of the caller', () => {
  const redirected = async (redirections: string, program: string, options: CliOptions = {}): Promise<CliResult> =>
    runCli(['run', '--quiet', '--', 'bash', '-c', program], {
      ...options,
      cwd: directory,
      under: ['bash', '-c', `exec "$@" ${redirections}`, 'bash'],
    });

  test.each(nodeMajors)('on Node.js %d', async (major) => {
    const program = 'echo three >&3; echo five >&5; cat <&6; echo sixty >&60';
    const redirections = '3>three 5>five 6< <(echo six) 60>sixty';
    const { code, stdout, stderr } = await redirected(redirections, program, { major });
    expect([code, stdout.toString(), stderr]).toEqual([0, 'six\n', '']);
    const texts = ['three', 'five', 'sixty'].map((name) => readFile(path.join(directory, name), 'utf8'));
    expect(await Promise.all(texts)).toEqual(['three\n', 'five\n', 'sixty\n']);
  });

  test.each(nodeMajors)('and no other one, on Node.js %d', async (major) => {
    const list = 'for ((fd = 3; fd < 16; fd++)); do readlink /proc/$$/fd/$fd; done; true';
    const { stdout } = await redirected('3>three 5<three', list, { major });
    expect(stdout.toString()).toBe(`${path.join(directory, 'three')}\n`.repeat(2));
  });
});

test('a temporary directory that does not exist is an error before the program starts', async () => {
  const { code, stdout, stderr } = await run('closes stdin', { env: { TMPDIR: path.join(directory, 'none') } });
  expect([code, stdout.toString()]).toEqual([1, '']);
  expect(stderr).toMatch(/^loopwatch: Cannot write to the temporary directory .*none \(ENOENT\)\. Set TMPDIR /);
});

test('with a relative temporary directory, a process in another directory is watched', async () => {
  const json = path.join(directory, 'out.json');
  const command = ['sh', '-c', `cd / && exec node ${fixture('blocks.cjs')}`];
  const options = { cwd: directory, env: { TMPDIR: '.' } };
  const result = await runCli(['run', '--quiet', '--json', json, '--', ...command], options);
  expect([result.code, result.stderr]).toEqual([0, `loopwatch JSON: ${json}\n`]);
  expect(await culprits()).not.toEqual([]);
  expect(await readdir(directory)).toEqual(['out.json']);
});

test('a full temporary directory is an error before the program starts', async () => {
  const { code, stdout, stderr } = await runCli(['run', '--', 'node', fixture('blocks.cjs')], { fileSizeLimit: 0 });
  expect([code, stdout.toString()]).toEqual([1, '']);
  expect(stderr).toMatch(/^loopwatch: Cannot write to the temporary directory .* \(EFBIG\)\. Set TMPDIR /);
});

test('when records cannot be written the program lives, and the summary says that blocks are missing', async () => {
  // A limit on the size of files has the same effect as a full disk.
  const program = `ulimit -f 0; exec node ${fixture('blocks.cjs')}`;
  const { code, stdout, stderr } = await runCli(['run', '--', 'sh', '-c', program]);
  expect([code, stdout.toString()]).toEqual([0, 'done\n']);
  expect(stderr).toMatch(/^loopwatch Blocks are missing: .* could not be written\. Is the disk full\?$/m);
});

const testOnLinux = process.platform === 'linux' ? test : test.skip;
testOnLinux('so it does where a process is killed in a block that its watchdog could not write', async () => {
  const running = startCli(['run', '--', 'sh', '-c', `node ${fixture('full-disk.cjs')}; echo killed`]);
  const [, pid] = await running.waitFor(/full (\d+)/);
  await delay(1500);
  process.kill(Number(pid), 'SIGKILL');
  expect((await running.result).stderr).toMatch(/^loopwatch Blocks are missing: .* could not be written\./m);
});
