import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Pieces } from './json-scan.js';
import { readRegularFile, type RegularFile } from './read-regular-file.js';

/** Compiled files of one source: of other settings, other versions, and of earlier contents. */
const MAX_CANDIDATES = 16;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Jest writes a checksum and a line end before the code. */
const CHECKSUM_LENGTH = 32;
const NEWLINE = 0x0a;

/**
 * Whether the program is Jest, or a worker process of it. A program that a test starts inherits Jest's `JEST_WORKER_ID`, but
 * runs its files as they are.
 */
export function isJest(script = ''): boolean {
  return /[\\/](\.bin[\\/]jest|jest(-cli|-worker)?[\\/])/.test(script);
}

/** Where Jest keeps what it has compiled, unless it is told otherwise. */
export function jestCacheDirectory(): string {
  const userId = process.getuid?.();
  return path.join(os.tmpdir(), userId === undefined ? 'jest' : `jest_${userId.toString(36)}`);
}

/** A file that Jest has compiled, and its map where that is a file of its own. */
export interface CompiledFile {
  readonly code: RegularFile;
  readonly map: Buffer | undefined;
}

/** What Jest has compiled from files of that name, the newest first. Only files of this user are read. */
export function* compiledByJest(filePath: string, directory: string): Pieces<CompiledFile[]> {
  const prefix = `${path.basename(filePath, path.extname(filePath)).replace(/\W/g, '')}_`;
  const candidates: { readonly path: string; readonly modifiedMs: number }[] = [];
  for (const cache of namesIn(directory).filter((name) => name.startsWith('jest-transform-cache-'))) {
    for (const part of namesIn(path.join(directory, cache))) {
      yield;
      for (const name of namesIn(path.join(directory, cache, part))) {
        if (!name.startsWith(prefix) || name.endsWith('.map')) continue;
        const candidate = path.join(directory, cache, part, name);
        const modifiedMs = modifiedByThisUser(candidate);
        if (modifiedMs !== undefined) candidates.push({ path: candidate, modifiedMs });
      }
    }
  }
  candidates.sort((a, b) => b.modifiedMs - a.modifiedMs);
  const compiled: CompiledFile[] = [];
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    const file = yield* readRegularFile(candidate.path, MAX_FILE_BYTES);
    if (!file) continue;
    const bytes = file.bytes[CHECKSUM_LENGTH] === NEWLINE ? file.bytes.subarray(CHECKSUM_LENGTH + 1) : file.bytes;
    const map = yield* readRegularFile(`${candidate.path}.map`, MAX_FILE_BYTES);
    compiled.push({ code: { ...file, bytes }, map: map?.bytes });
  }
  return compiled;
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

/** Anybody can write into the system's directory for temporary files. */
function modifiedByThisUser(file: string): number | undefined {
  try {
    const { uid, mtimeMs } = fs.lstatSync(file);
    return process.getuid === undefined || uid === process.getuid() ? mtimeMs : undefined;
  } catch {
    return undefined;
  }
}
