import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, tmpdir } from 'node:os';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';

import { rootDirectory } from '../lib/paths.mjs';

/**
 * Runs a program in namespaces of its own: network, mounts and processes. When it or this process ends, even by SIGKILL,
 * all that it has started is killed and unmounted by the kernel, and namespaces-cleaner.mjs removes the rest. The program
 * finds a folder for its files in LOOPWATCH_CLUSTER_DIRECTORY. `prepare` fills that folder before, where there still is
 * the network of this machine.
 * @param {string} command
 * @param {readonly string[]} commandArguments
 * @param {{ env?: NodeJS.ProcessEnv, prepare?: (directory: string) => Promise<void> }} [options]
 * @returns {Promise<number>} the exit code
 */
export async function runInNamespaces(command, commandArguments, { env = process.env, prepare } = {}) {
  const directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-cluster-'));
  const cleaner = spawn(process.execPath, [path.join(import.meta.dirname, 'namespaces-cleaner.mjs'), directory], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  await prepare?.(directory);
  const child = spawn(
    'setpriv',
    [
      '--pdeathsig=KILL',
      ...['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'],
      command,
      ...commandArguments,
    ],
    { cwd: rootDirectory, env: { ...env, LOOPWATCH_CLUSTER_DIRECTORY: directory }, stdio: 'inherit' },
  );
  // The first process of a namespace does not get signals for which it has no handler.
  const kill = () => void child.kill('SIGKILL');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, kill);
  const [code, signal] = await once(child, 'exit');
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, kill);
  cleaner.stdin.end();
  await once(cleaner, 'exit');
  return signal === null ? code : 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)];
}
