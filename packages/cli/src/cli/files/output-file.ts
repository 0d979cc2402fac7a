import { constants, promises as fs, type Stats } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { shellWord } from '../../model/text/shell-word.js';
import { checkDescriptor, namedDescriptor, writeToDescriptor } from './descriptor.js';

export type OutputContent = string | Uint8Array;

/** A file that the user has asked for, checked before there is anything to write. */
export interface OutputFile {
  /** As the user gave it. */
  readonly name: string;
  /**
   * Writes the whole file or, if that fails, leaves what was there. A new file is for this user alone; one that exists keeps
   * its permissions.
   */
  write(content: OutputContent): Promise<void>;
}

/** What the user has not shared: names of functions, files and routes of a program are not for all users of a machine. */
const PRIVATE_MODE = 0o600;
const PERMISSIONS = 0o7777;
const STICKY_FOR_ALL = 0o1002;
/** A present file that is a mount point, as in a container. */
const IRREPLACEABLE = new Set(['EBUSY', 'EPERM', 'EACCES', 'EXDEV']);

/** The path cannot be written. The message says why, and what to do. */
export class OutputFileError extends Error {}

/**
 * Checks that the file can be written, without changing it. `option` is the option that names it, such as `--report`.
 * Rejects with an `OutputFileError`.
 */
export async function prepareOutputFile(option: string, name: string): Promise<OutputFile> {
  const fail = (reason: string): never => {
    throw new OutputFileError(`Cannot write ${option} ${name}: ${reason}`);
  };
  if (name === '') return fail('the path is empty. Give the path of a file.');
  if (name === '-') return fail('standard output is /dev/stdout here, and a file of that name ./-');
  if (await isPlanted(path.resolve(name))) {
    return fail('it belongs to another user, in a directory that all users can write to. Give another path.');
  }
  const descriptor = await namedDescriptor(name);
  if (descriptor !== undefined) {
    try {
      checkDescriptor(descriptor);
    } catch (error) {
      return fail(`descriptor ${descriptor} is not open for writing (${codeOf(error)}). Give another path.`);
    }
    return { name, write: (content) => writeTo(name, () => writeToDescriptor(descriptor, content)) };
  }
  const target = await targetOf(name);
  const present = await statOf(target);
  if (present?.isDirectory()) return fail('this is a directory. Give the path of a file in it.');
  if (present && !(await isWritable(target))) return fail('the file is write-protected. Give another path.');
  // A device, a pipe (`/dev/stdout`, `>(gzip)`): a file in its place would be something else.
  if (present && !present.isFile())
    return { name, write: (content) => writeTo(name, () => fs.writeFile(target, content)) };

  const directory = path.dirname(target);
  const parent = await statOf(directory);
  if (!parent)
    return fail(`the directory ${directory} does not exist. Create it first: mkdir -p ${shellWord(directory)}`);
  if (!parent.isDirectory()) return fail(`${directory} is not a directory. Give another path.`);
  const problem = await creationProblem(directory);
  if (problem === undefined)
    return { name, write: (content) => writeTo(name, () => replaceFile(target, content, present)) };
  // A present file can be writable in a directory that is not.
  if (present) return { name, write: (content) => writeTo(name, () => fs.writeFile(target, content)) };
  return fail(`no file can be created in ${directory} (${problem}). Give a path in another directory.`);
}

/**
 * Whether another user may have put a link or a file where this one is expected, such as in `/tmp`. It would lead the output
 * to that user, or over a file of this one. The rule is that of Linux's `protected_symlinks` and `protected_regular`.
 */
async function isPlanted(file: string): Promise<boolean> {
  const [entry, directory] = await Promise.all([
    fs.lstat(file).catch(() => undefined),
    fs.stat(path.dirname(file)).catch(() => undefined),
  ]);
  if (!entry || !directory || (directory.mode & STICKY_FOR_ALL) !== STICKY_FOR_ALL) return false;
  return entry.uid !== process.geteuid?.() && entry.uid !== directory.uid;
}

/** The path with symbolic links resolved, so that a link is kept and its target written. */
async function targetOf(name: string): Promise<string> {
  const absolute = path.resolve(name);
  return fs.realpath(absolute).catch(() => absolute);
}

async function statOf(file: string): Promise<Stats | undefined> {
  return fs.stat(file).catch(() => undefined);
}

async function isWritable(file: string): Promise<boolean> {
  return fs.access(file, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Why no file can be created in the directory. Only creating one shows it: permissions, read-only and virtual systems. */
async function creationProblem(directory: string): Promise<string | undefined> {
  const probe = temporaryFile(directory);
  try {
    await (await fs.open(probe, 'wx', PRIVATE_MODE)).close();
    await fs.rm(probe, { force: true });
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** Writes a temporary file beside the target and renames it: the target is never half written. */
async function replaceFile(target: string, content: OutputContent, present: Stats | undefined): Promise<void> {
  const temporary = temporaryFile(path.dirname(target));
  try {
    // The program may have removed the directory, as a build or a coverage tool does.
    await fs.mkdir(path.dirname(target), { recursive: true });
    await fs.writeFile(temporary, content, { flag: 'wx', mode: PRIVATE_MODE, flush: true });
    // A file of this user may have been shared on purpose. Another user may have put one where this one is expected.
    if (present && present.uid === process.geteuid?.()) await fs.chmod(temporary, present.mode & PERMISSIONS);
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => undefined);
    if (!present || !IRREPLACEABLE.has(codeOf(error))) throw error;
    await fs.writeFile(target, content);
  }
}

async function writeTo(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw new OutputFileError(`Cannot write ${name}: ${messageOf(cause)}`, { cause });
  }
}

function temporaryFile(directory: string): string {
  return path.join(directory, `.loopwatch-${globalThis.crypto.randomUUID()}.tmp`);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? messageOf(error);
}

function messageOf(error: unknown): string {
  return (error as Partial<Error>).message ?? String(error);
}
