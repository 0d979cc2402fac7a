import { tmpdir } from 'node:os';
import path from 'node:path';

import { flagsOfCommand } from '../platform/node-flags.js';

/** What Node's permissions, on the command line or in `NODE_OPTIONS`, mean for the preload. */
export interface PreloadPermission {
  readonly mayRead: boolean;
  /** Node.js 20 ends with an error where it may not read the preload; later ones start without it. */
  readonly endsProgram: boolean;
  /** What lets the program be watched. */
  readonly remedy: string;
}

const FLAG = /^--(experimental-)?permission$/;
const READ = '--allow-fs-read';
const WRITE = '--allow-fs-write';

/** Undefined where the program may read the preload, and use the channel. */
export function preloadPermission(
  preload: string,
  command: readonly string[],
  { NODE_OPTIONS = '' }: NodeJS.ProcessEnv,
  directory: string,
): PreloadPermission | undefined {
  const args = [...NODE_OPTIONS.split(/\s+/).map((option) => option.replaceAll('"', '')), ...flagsOfCommand(command)];
  const flag = args.find((arg) => FLAG.test(arg));
  if (flag === undefined) return undefined;
  const may = (name: string, file: string): boolean =>
    valuesOf(name, args).some((value) => includes(value, file, directory));
  const channel = path.resolve(directory, tmpdir(), 'loopwatch-');
  const mayRead = may(READ, preload);
  const missing = [
    ...(mayRead ? [] : [`${READ}=${path.dirname(preload)}/`]),
    ...[READ, WRITE].filter((name) => !may(name, `${channel}directory`)).map((name) => `${name}=${channel}*`),
  ];
  if (missing.length === 0) return undefined;
  return {
    mayRead,
    endsProgram: !mayRead && flag === '--experimental-permission',
    remedy:
      `Node's permissions do not let the program ${mayRead ? 'use the channel of' : 'read'} Loopwatch: it is not watched. ` +
      `Add ${missing.join(' ')} --allow-worker, and from Node.js 24 on --allow-inspector.`,
  };
}

/** The values of all options with that name. Some releases of Node.js 20 take several paths with commas between them. */
function valuesOf(name: string, args: readonly string[]): string[] {
  return args
    .flatMap((arg, i) =>
      arg === name ? (args[i + 1] ?? '') : arg.startsWith(`${name}=`) ? arg.slice(name.length + 1) : [],
    )
    .flatMap((value) => value.split(','));
}

/** A value is a file, a folder with all in it, or a path that ends with `*` for all that begins so. */
function includes(value: string, file: string, directory: string): boolean {
  if (value === '') return false;
  if (value.endsWith('*')) return file.startsWith(value === '*' ? '' : path.resolve(directory, value.slice(0, -1)));
  const folder = path.resolve(directory, value);
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
