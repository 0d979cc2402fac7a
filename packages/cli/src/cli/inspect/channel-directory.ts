import { chown, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { containerAdvice } from './container.js';
import { environmentOf, namespaceOf, type ProcessInfo } from './processes.js';
import { Refusal } from './refusal.js';

/** The private directory by which a watched process and the CLI exchange data. */
export interface ChannelDirectory {
  /** Its path here. */
  readonly outer: string;
  /** Its path in the process: another one where the process has a file system of its own, as in a container. */
  readonly inner: string;
}

/** Creates the directory where the process sees it. `/proc/PID/root` leads into the file system of a container. */
export async function createChannelDirectory(info: ProcessInfo | undefined): Promise<ChannelDirectory> {
  if (info === undefined || sharesFileSystem(info)) {
    const directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-'));
    return { outer: directory, inner: directory };
  }
  const { pid } = info;
  const variable = environmentOf(pid).find((text) => text.startsWith('TMPDIR='));
  const innerTemporary = variable?.slice('TMPDIR='.length) || '/tmp';
  const root = `/proc/${pid}/root`;
  try {
    const outer = await mkdtemp(path.join(root, innerTemporary, 'loopwatch-'));
    return { outer, inner: outer.slice(root.length) };
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Refusal(
      `a directory in the container of process ${pid} that both can write`,
      `that ${root}${innerTemporary} cannot be written (${code})`,
      containerAdvice(info, 'attach'),
    );
  }
}

function sharesFileSystem({ pid }: ProcessInfo): boolean {
  const [own, others] = [namespaceOf('self', 'mnt'), namespaceOf(pid, 'mnt')];
  return own === others || others === undefined;
}

/** The directory is private. Where root attaches to a process of another user, that user must be able to open it. */
export async function giveTo({ userId }: ProcessInfo, { outer }: ChannelDirectory): Promise<void> {
  if (userId === process.geteuid?.()) return;
  for (const name of ['', ...(await readdir(outer))]) await chown(path.join(outer, name), userId, -1);
}
