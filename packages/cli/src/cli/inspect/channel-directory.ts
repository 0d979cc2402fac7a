import { lchown, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { ATTACH_SOCKET } from '../../channel/contract.js';
import { containerAdvice } from './container.js';
import { environmentOf, namespaceOf, type ProcessInfo, rootOf } from './processes.js';
import { Refusal } from './refusal.js';

/** The private directory by which a watched process and the CLI exchange data. */
export interface ChannelDirectory {
  /** Its path here. */
  readonly outer: string;
  /** Its path in the process: another one where the process has a file system of its own, as in a container. */
  readonly inner: string;
}

const COMMON = '/tmp';
/** What the kernel allows for the path of a socket. */
const MAX_SOCKET_PATH_BYTES = 107;

/** Creates the directory where the process sees it, and where the path of the socket is short enough. */
export async function createChannelDirectory(info: ProcessInfo | undefined): Promise<ChannelDirectory> {
  const root = info === undefined ? '' : rootSeenFromHere(info);
  let problem: string | undefined;
  for (const temporary of new Set(temporaryDirectories(info, root))) {
    const template = path.join(root, temporary, 'loopwatch-');
    if (Buffer.byteLength(`${template}XXXXXX/${ATTACH_SOCKET}`) > MAX_SOCKET_PATH_BYTES) {
      problem ??= `that the path of ${path.join(root, temporary)} is too long for a socket`;
      continue;
    }
    try {
      const outer = await mkdtemp(template);
      return { outer, inner: outer.slice(root.length) };
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      problem ??= `that ${path.join(root, temporary)} cannot be written (${code})`;
    }
  }
  const found = problem ?? 'none';
  if (info === undefined || root === '') {
    throw new Refusal('a temporary directory', found, 'Set TMPDIR to a directory that can be written.');
  }
  const expected = `a directory in the container of process ${info.pid} that both can write`;
  throw new Refusal(expected, found, containerAdvice(info, 'attach'));
}

/** The root of the process, without the slash at its end: empty where it is the one of this process. */
function rootSeenFromHere({ pid }: ProcessInfo): string {
  const [own, others] = [namespaceOf('self', 'mnt'), namespaceOf(pid, 'mnt')];
  if (own !== others && others !== undefined) return `/proc/${pid}/root`;
  // A process that has changed its root: it has the same mounts. The path stays when the process has ended.
  const root = rootOf(pid);
  return root === undefined || root === '/' ? '' : root;
}

function temporaryDirectories(info: ProcessInfo | undefined, root: string): string[] {
  if (info === undefined || (root === '' && info.userId === process.geteuid?.())) return [tmpdir(), COMMON];
  // Another user may not reach the directory of this one.
  if (root === '') return [COMMON, tmpdir()];
  const variable = environmentOf(info.pid).find((text) => text.startsWith('TMPDIR='));
  return [variable?.slice('TMPDIR='.length) || COMMON, COMMON];
}

/** The directory is private. Where root attaches to a process of another user, that user must be able to open it. */
export async function giveTo({ userId }: ProcessInfo, { outer }: ChannelDirectory): Promise<void> {
  if (userId === process.geteuid?.()) return;
  // Not through a symbolic link, which that user may put there.
  for (const name of ['', ...(await readdir(outer))]) await lchown(path.join(outer, name), userId, -1);
}
