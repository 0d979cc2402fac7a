import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';

import { fixture, startCli } from './cli.js';
import { TargetProcess } from './target.js';

/** Another user, who needs no account. */
const USER_ID = 65_534;
export const AS_OTHER_USER = ['setpriv', `--reuid=${USER_ID}`, `--regid=${USER_ID}`, '--clear-groups'] as const;

/** Only root can be another user. As root, the test runs, and fails where the system permits no namespaces. */
export const testAsRoot = process.geteuid?.() === 0 ? test : (test.skip.bind(test) as unknown as typeof test);
export const NEEDS_ROOT = process.geteuid?.() === 0 ? '' : ' (needs root: skipped)';

export const SECRET = 'the secret of root';

export interface Places {
  /** A directory that belongs to the other user. */
  readonly own: string;
  /** A directory of root that the other user can list. */
  readonly victim: string;
}

export function createPlaces(directory: string): Places {
  chmodSync(directory, 0o755);
  const [own, victim] = [path.join(directory, 'own'), path.join(directory, 'victim')];
  mkdirSync(own);
  chownSync(own, USER_ID, USER_ID);
  mkdirSync(victim);
  writeFileSync(path.join(victim, 'secret.js'), `// ${SECRET}\n`, { mode: 0o600 });
  for (const name of ['config.json', 'records.jsonl']) writeFileSync(path.join(victim, name), SECRET, { mode: 0o600 });
  execFileSync('mkfifo', ['-m', '666', path.join(own, 'pipe')]);
  chownSync(path.join(own, 'pipe'), USER_ID, USER_ID);
  return { own, victim };
}

/** All that can be seen of a directory and what is in it: a change of any of it is found. */
export function stateOf(directory: string): unknown {
  return ['.', ...readdirSync(directory).sort()].map((name) => {
    const file = path.join(directory, name);
    const { ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs } = lstatSync(file, { bigint: true });
    const content = name === '.' ? '' : readFileSync(file, 'utf8');
    return [name, content, ...[ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs].map(String)];
  });
}

/** The ways in which a process of the other user may be started, as commands before its own. */
export function waysToStart({ own, victim }: Places): Readonly<Record<string, readonly string[]>> {
  const namespaces = ['unshare', '--user', '--map-root-user', '--mount'];
  return {
    'of another user': AS_OTHER_USER,
    'in a mount namespace of its own': [...AS_OTHER_USER, ...namespaces],
    'that has mounted the directory of root over its own': [
      ...AS_OTHER_USER,
      ...namespaces,
      ...['sh', '-c', `mount --bind '${victim}' '${own}' && exec "$@"`, 'sh'],
    ],
  };
}

export async function startHostile(way: string, under: readonly string[], places: Places): Promise<TargetProcess> {
  const [file = '', ...args] = under;
  const program = [nodeBinary(), '--inspect-port=0', fixture('hostile.cjs'), way, places.own, places.victim];
  const target = TargetProcess.command(file, ...args, 'env', `TMPDIR=${places.own}`, ...program);
  await target.waitFor(/ready\n/);
  return target;
}

/**
 * Attaches to a process that races, again and again; every third command is killed at some moment. Nothing of VICTIM may
 * change, and nothing may stay in the directory of the process.
 */
export async function attachAgainAndAgain(target: TargetProcess, places: Places, times: number): Promise<void> {
  const before = stateOf(places.victim);
  const ownBefore = readdirSync(places.own);
  let attachedCount = 0;
  for (let count = 0; count < times; count++) {
    const command = count % 5 === 4 ? ['dump'] : ['attach', '--for', '0.1s'];
    const cli = startCli([...command, '--timeout', '20s', String(target.pid)]);
    const killAfterMs = count % 3 === 2 ? Math.random() * 1500 : 0;
    const timer = killAfterMs === 0 ? undefined : setTimeout(() => cli.child.kill('SIGKILL'), killAfterMs);
    const { stderr } = await cli.result;
    clearTimeout(timer);
    if (stderr.includes('Attached to process')) attachedCount++;
    expect(stateOf(places.victim)).toEqual(before);
  }
  expect(readdirSync(places.own)).toEqual(ownBefore);
  // Otherwise nothing was tried.
  expect(attachedCount).toBeGreaterThan(times / 10);
}
