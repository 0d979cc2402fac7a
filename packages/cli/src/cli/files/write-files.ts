import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Recording } from '../../model/recording.js';
import { type OutputFile, OutputFileError, prepareOutputFile } from './output-file.js';
import { reportHtml } from './report.js';
import { speedscopeOf } from './speedscope.js';

export interface OutputPaths {
  readonly report?: string;
  readonly json?: string;
  readonly speedscope?: string;
}

type Kind = keyof OutputPaths;
const KINDS: readonly Kind[] = ['json', 'speedscope', 'report'];

/** The requested files, checked before the program starts. */
export type OutputFiles = Readonly<Partial<Record<Kind, OutputFile>>>;

/** Checks that the requested files can be written. Rejects with an `OutputFileError`. */
export async function prepareFiles(paths: OutputPaths): Promise<OutputFiles> {
  const files: Partial<Record<Kind, OutputFile>> = {};
  const optionOf = new Map<string, string>();
  for (const kind of KINDS) {
    const name = paths[kind];
    if (name === undefined) continue;
    const option = `--${kind}`;
    const other = optionOf.get(path.resolve(name));
    if (other !== undefined) throw new OutputFileError(`${other} and ${option} name the same file: ${name}`);
    optionOf.set(path.resolve(name), option);
    files[kind] = await prepareOutputFile(option, name);
  }
  return files;
}

/**
 * Writes the files and prints their paths. A file that fails does not prevent the others; its error is printed. Returns
 * whether all were written.
 */
export async function writeFiles(
  recording: Recording,
  { json, speedscope, report }: OutputFiles,
  { print, openReport }: { print: (line: string) => void; openReport: boolean },
): Promise<boolean> {
  const attempt = async (write: () => Promise<void>): Promise<boolean> => {
    try {
      await write();
      return true;
    } catch (error) {
      print(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  const results = [
    json &&
      (await attempt(async () => {
        await json.write(`${JSON.stringify(recording, undefined, 2)}\n`);
        print(`JSON: ${json.name}`);
      })),
    speedscope &&
      (await attempt(async () => {
        await speedscope.write(JSON.stringify(speedscopeOf(recording)));
        print(`Profile: ${speedscope.name} (open it at https://www.speedscope.app)`);
      })),
    report &&
      (await attempt(async () => {
        await report.write(await reportHtml(recording));
        const url = pathToFileURL(path.resolve(report.name)).href;
        print(`Report: ${url}`);
        if (openReport) await showInBrowser(url, print);
      })),
  ];
  return !results.includes(false);
}

/** The report is written: a machine without a browser is no failure. */
async function showInBrowser(url: string, print: (line: string) => void): Promise<void> {
  try {
    const browser = await (await import('open')).default(url);
    browser.on('error', () => undefined);
  } catch (error) {
    print(`Cannot open the browser: ${error instanceof Error ? error.message : String(error)}`);
  }
}
