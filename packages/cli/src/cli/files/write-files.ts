import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Recording } from '../../model/recording.js';
import { speedscopeOf } from './speedscope.js';
import { reportHtml } from './report.js';

export interface OutputFiles {
  readonly report?: string;
  readonly json?: string;
  readonly speedscope?: string;
  readonly open?: true;
}

/** Writes the requested files and prints their paths. */
export async function writeFiles(
  recording: Recording,
  files: OutputFiles,
  print: (line: string) => void,
): Promise<void> {
  if (files.json !== undefined) {
    await write(files.json, `${JSON.stringify(recording, undefined, 2)}\n`);
    print(`JSON: ${files.json}`);
  }
  if (files.speedscope !== undefined) {
    await write(files.speedscope, JSON.stringify(speedscopeOf(recording)));
    print(`Profile: ${files.speedscope} (open it at https://www.speedscope.app)`);
  }
  if (files.report !== undefined) {
    await write(files.report, await reportHtml(recording));
    const url = pathToFileURL(path.resolve(files.report)).href;
    print(`Report: ${url}`);
    if (files.open) await (await import('open')).default(url);
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot write ${file}: ${reason}`, { cause });
  }
}
