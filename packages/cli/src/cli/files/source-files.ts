import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

import { isBelow, type Permission, readRegularFile } from './regular-file.js';

/** The source files that may be shown. Everything that shows source reads it here, also what a source map names. */
export interface SourceFiles {
  /** The lines of the file; undefined if it is missing, or not to be shown. `budget` counts what one answer reads. */
  lines(filePath: string, budget: ReadBudget): readonly string[] | undefined;
}

/** Bytes that may still be read from the disk. */
export interface ReadBudget {
  bytes: number;
}

/** Read for one answer: who asks must not make the event loop read the whole disk. What was read before is not counted. */
export const BYTES_PER_ANSWER = 16 * 1024 * 1024;

const SOURCE_EXTENSIONS = new Set(['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx', '.vue', '.svelte']);
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Hidden directories that hold code: what build tools and package managers write. */
const HIDDEN_CODE = new Set([
  ...['.astro', '.aws-sam', '.build', '.netlify', '.next', '.nitro', '.nuxt', '.open-next', '.output', '.react-router'],
  ...['.serverless', '.svelte-kit', '.tanstack', '.vercel', '.webpack', '.wrangler', '.pnpm', '.yarn'],
]);

/** Of `run`: the program that the user has started may have its source anywhere. */
export function anySourceFiles(): SourceFiles {
  return sourceFiles(() => true, hasSourceName);
}

/**
 * Of `serve`, whose paths come from the network: only source below these directories, wherever links lead. No hidden file,
 * such as `.env.js`, and none in a hidden directory that holds no code, such as `.git`. Who owns a file does not matter:
 * what is below is meant to be shown.
 */
export function sourceFilesBelow(directories: readonly SourceDirectory[]): SourceFiles {
  return sourceFiles(
    // The disk is not asked about other paths: a look at a remote or an automatic mount can take minutes.
    (filePath) => directories.some(({ given, real }) => isBelow(filePath, given) || isBelow(filePath, real)),
    (realPath) =>
      hasSourceName(realPath) &&
      directories.some(({ real }) => isBelow(realPath, real) && !isHidden(path.relative(real, realPath))),
  );
}

/** A directory whose source may be shown: its path as it was given, and without links. */
export interface SourceDirectory {
  readonly given: string;
  readonly real: string;
}

/** A directory that the user names. Throws if there is none. */
export function sourceDirectory(name: string): SourceDirectory {
  try {
    const real = realpathSync.native(name);
    if (statSync(real).isDirectory()) return { given: path.resolve(name), real };
  } catch {
    // There is nothing of that name.
  }
  throw new Error(`Expected a directory as --source, got ${name}.`);
}

/** The directory in which a command was started, unless it is the root of the file system: that is no program's. */
export function startDirectory(given: string): SourceDirectory[] {
  try {
    const real = realpathSync.native(given);
    return path.dirname(real) === real ? [] : [{ given, real }];
  } catch {
    return []; // it has been removed
  }
}

function hasSourceName(realPath: string): boolean {
  const name = path.basename(realPath);
  return !name.startsWith('.') && SOURCE_EXTENSIONS.has(path.extname(name));
}

function isHidden(relative: string): boolean {
  return path
    .dirname(relative)
    .split(path.sep)
    .some((part) => part.startsWith('.') && part !== '.' && !HIDDEN_CODE.has(part));
}

interface CachedFile {
  readonly stamp: string;
  readonly lines: readonly string[];
  readonly bytes: number;
}

function sourceFiles(isExpected: (filePath: string) => boolean, isPermitted: Permission): SourceFiles {
  /** Least recently used first. */
  const cache = new Map<string, CachedFile>();
  let cachedBytes = 0;

  function forget(filePath: string): void {
    cachedBytes -= cache.get(filePath)?.bytes ?? 0;
    cache.delete(filePath);
  }

  function remember(filePath: string, file: CachedFile): void {
    cache.set(filePath, file);
    cachedBytes += file.bytes;
    while (cachedBytes > MAX_CACHED_BYTES) forget(cache.keys().next().value!);
  }

  return {
    lines(filePath, budget) {
      if (!path.isAbsolute(filePath) || !isExpected(path.normalize(filePath))) return undefined;
      const cached = cache.get(filePath);
      const read = readRegularFile(filePath, Math.min(MAX_FILE_BYTES, budget.bytes), isPermitted, cached?.stamp);
      forget(filePath);
      if (read === undefined) return undefined;
      if (read === 'unchanged') {
        remember(filePath, cached!);
        return cached!.lines;
      }
      // Characters of two bytes at most, in what V8 keeps of it.
      const bytes = 2 * (read.text.length + filePath.length);
      budget.bytes -= bytes;
      const lines = read.text.split(/\r?\n/);
      remember(filePath, { stamp: read.stamp, lines, bytes });
      return lines;
    },
  };
}
