import path from 'node:path';

import type { OutputFile } from './output-file.js';

export interface OutputPaths {
  readonly report?: string;
  readonly json?: string;
  readonly speedscope?: string;
  readonly pprof?: string;
  readonly junit?: string;
  readonly gitlab?: string;
}

type Kind = keyof OutputPaths;
const KINDS: readonly Kind[] = ['json', 'speedscope', 'pprof', 'junit', 'gitlab', 'report'];

/** The requested files, checked before there is anything to write. */
export type OutputFiles<K extends string = Kind> = Readonly<Partial<Record<K, OutputFile>>>;

/** Checks that the requested files of a run can be written. Rejects with an `OutputFileError`. */
export async function prepareFiles(paths: OutputPaths): Promise<OutputFiles> {
  return prepareFilesOf(KINDS, paths);
}

/** The same for other kinds of files; a kind is the name of its option. */
export async function prepareFilesOf<K extends string>(
  kinds: readonly K[],
  paths: Readonly<Partial<Record<K, string>>>,
): Promise<OutputFiles<K>> {
  const files: Partial<Record<K, OutputFile>> = {};
  const optionOf = new Map<string, string>();
  for (const kind of kinds) {
    const name = paths[kind];
    if (name === undefined) continue;
    // Most runs write no file.
    const { OutputFileError, prepareOutputFile } = await import('./output-file.js');
    const option = `--${kind}`;
    const other = optionOf.get(path.resolve(name));
    if (other !== undefined)
      throw new OutputFileError(`${other} and ${option} name the same file: ${name}. Give each its own.`);
    optionOf.set(path.resolve(name), option);
    files[kind] = await prepareOutputFile(option, name);
  }
  return files;
}
