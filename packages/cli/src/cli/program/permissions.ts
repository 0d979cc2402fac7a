import { tmpdir } from 'node:os';
import path from 'node:path';

/** What Node's permissions, on the command line or in `NODE_OPTIONS`, mean for the preload. */
export interface PreloadPermission {
  /** Node.js 20 ends with an error where it may not read the preload; later ones start without it. */
  readonly endsProgram: boolean;
  /** What lets the program be watched. */
  readonly remedy: string;
}

const FLAG = /^--(experimental-)?permission$/;

/** Undefined where the program may read the preload. */
export function preloadPermission(
  preload: string,
  command: readonly string[],
  { NODE_OPTIONS = '' }: NodeJS.ProcessEnv,
  directory: string,
): PreloadPermission | undefined {
  const args = [...NODE_OPTIONS.split(/\s+/).map((option) => option.replaceAll('"', '')), ...command.slice(1)];
  const flag = args.find((arg) => FLAG.test(arg));
  if (flag === undefined || readable(args).some((pattern) => includes(pattern, preload, directory))) return undefined;
  const channel = path.resolve(directory, tmpdir(), 'loopwatch-*');
  return {
    endsProgram: flag === '--experimental-permission',
    remedy:
      `Node's permissions do not let the program read Loopwatch: it is not watched. Add ` +
      `--allow-fs-read=${path.dirname(preload)}/ --allow-fs-read=${channel} --allow-fs-write=${channel} --allow-worker.`,
  };
}

/** The values of all `--allow-fs-read`. Some releases of Node.js 20 take several paths with commas between them. */
function readable(args: readonly string[]): string[] {
  const name = '--allow-fs-read';
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
