import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { rootDirectory } from '../../../scripts/lib/paths.mjs';
import { residentBytes } from '../../../scripts/stack/processes.mjs';
import { startStack, type Stack } from '../../../scripts/stack/stack.mjs';
import { runCommand } from '../src/commands.ts';
import { eventually } from '../src/eventually.ts';
import { freeStackPorts } from '../src/stack-ports.ts';

describe('the native stack', () => {
  let directory: string;
  let stack: Stack | undefined;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-stack-'));
  });

  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });

  const start = async (ports: Awaited<ReturnType<typeof freeStackPorts>>) =>
    startStack({ ports, dataDirectory: directory, log: (line: string) => void process.stderr.write(`${line}\n`) });

  test('is ready within seconds once it is built, and uses less than 300 MB when idle', async () => {
    const startedAtMs = performance.now();
    stack = await start(await freeStackPorts());
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    const bytes = Object.values(stack.pids).map((pid) => residentBytes(pid) ?? Number.NaN);
    expect(bytes).toHaveLength(4);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(300_000_000);
  });

  test('leaves no process behind when it is stopped', async () => {
    stack = await start(await freeStackPorts());
    const pids = Object.values(stack.pids);
    await stack.stop();
    // A process that ended still exists until this one, its parent, has collected its exit status.
    const left = eventually(
      'all processes are gone',
      () => Promise.resolve(pids.filter(exists)),
      (found) => found.length === 0,
    );
    await expect(left).resolves.toEqual([]);
  });

  test('names the port that is taken, and starts nothing', async () => {
    const ports = await freeStackPorts();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(ports.prometheus, '127.0.0.1', resolve));
    try {
      await expect(start(ports)).rejects.toThrow(`something listens on ${ports.prometheus} (prometheus)`);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('without Go and without an earlier build, says what is missing and which alternative works', () => {
    const bin = path.join(directory, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, path.join(bin, 'node'));
    const { exitCode, output } = runCommand(
      process.execPath,
      [path.join(rootDirectory, 'scripts/workspace.mjs'), 'stack', 'build'],
      { PATH: bin, LOOPWATCH_CACHE_DIR: path.join(directory, 'cache') },
    );
    expect(exitCode).toBe(1);
    expect(output).toContain('Expected the Go toolchain (1.26 or newer) on PATH, found none.');
    expect(output).toContain('docker compose up');
  });
});

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
