import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { unwatchedSentences } from '../../model/processes/unwatched.js';
import type { Recording } from '../../model/recording/recording.js';
import type { CiFinding } from '../../model/report/ci-findings.js';
import { nothingWatchedSentence } from '../../model/report/remarks.js';
import { formatMs } from '../../model/text/format.js';
import { showInBrowser } from './browser.js';
import { type JUnitSuite, junitXml } from './junit.js';
import type { OutputFile } from './output-file.js';
import { pprofOf } from './pprof.js';
import type { OutputFiles } from './prepare-files.js';
import { reportHtml } from './report.js';
import { speedscopeOf } from './speedscope.js';

interface WriteOptions {
  readonly print: (line: string) => void;
  readonly openReport: boolean;
  /** For the files of CI systems. */
  readonly findings: readonly CiFinding[];
}

/**
 * Writes the files and prints their paths. A file that fails does not prevent the others; its error is printed. Returns
 * whether all were written.
 */
export async function writeFiles(
  recording: Recording,
  { json, speedscope, pprof, junit, gitlab, report }: OutputFiles,
  { print, openReport, findings }: WriteOptions,
): Promise<boolean> {
  const attempt = (write: () => Promise<void>): Promise<boolean> => attemptToWrite(write, print);
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
    pprof &&
      (await attempt(async () => {
        await pprof.write(await pprofOf(recording));
        print(`Profile: ${pprof.name} (open it with go tool pprof)`);
      })),
    junit &&
      (await attempt(async () => {
        await junit.write(junitXml(findings, suiteOfRun(recording)));
        print(`JUnit: ${junit.name}`);
      })),
    gitlab &&
      (await attempt(async () => {
        // It loads Node's cryptography, for its fingerprints.
        const { gitlabReport } = await import('./gitlab.js');
        await gitlab.write(gitlabReport(findings));
        print(`Code quality: ${gitlab.name}`);
      })),
    report && (await attempt(async () => writeReport(report, await reportHtml(recording), { print, openReport }))),
  ];
  return !results.includes(false);
}

/** Returns whether the file was written. Prints the error otherwise. */
export async function attemptToWrite(write: () => Promise<void>, print: (line: string) => void): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    return false;
  }
}

function suiteOfRun(recording: Recording): JUnitSuite {
  const { startedMs, thresholdMs, directory, unwatchedProcesses = [] } = recording;
  const nothing = nothingWatchedSentence(recording);
  return {
    name: 'event loop',
    startedMs,
    nothingFound: `No block of ${formatMs(thresholdMs)} or longer`,
    notKnown: [...(nothing === undefined ? [] : [nothing]), ...unwatchedSentences(unwatchedProcesses, directory)],
  };
}

/** Writes the report, prints its address and, if it is wanted, opens it. */
export async function writeReport(
  report: OutputFile,
  html: string,
  { print, openReport }: { print: (line: string) => void; openReport: boolean },
): Promise<void> {
  await report.write(html);
  const url = pathToFileURL(path.resolve(report.name)).href;
  print(`Report: ${url}`);
  if (openReport) await showInBrowser(url, print);
}
