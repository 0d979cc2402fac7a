import { realpathSync } from 'node:fs';
import process from 'node:process';

import { type ComparedCulprit, compareRecordings, type Comparison } from '../../model/compare/comparison.js';
import { createComparisonReport } from '../../model/compare/comparison-report.js';
import { functionOfCompared, placeOfCompared } from '../../model/compare/comparison-text.js';
import type { Recording } from '../../model/recording/recording.js';
import { findingsOfComparison } from '../../model/report/ci-findings.js';
import { formatMs, plural } from '../../model/text/format.js';
import { comparisonMarkdown } from '../files/comparison-markdown.js';
import { gitlabReport } from '../files/gitlab.js';
import { type JUnitSuite, junitXml } from '../files/junit.js';
import type { OutputContent, OutputFile } from '../files/output-file.js';
import { pprofOfDifference } from '../files/pprof.js';
import { readRecordings } from '../files/read-recording.js';
import { comparisonHtml } from '../files/report.js';
import { prepareFilesOf } from '../files/prepare-files.js';
import { attemptToWrite, writeReport } from '../files/write-files.js';
import { finalOutcome } from '../program/outcome.js';
import { comparisonLines } from '../terminal/comparison-view.js';
import { printable } from '../terminal/line.js';
import { printLines } from '../terminal/output.js';
import { styleFor } from '../terminal/stream-style.js';
import { checkoutRoot, printedLines, reportToGitHub } from './ci.js';

export interface CompareOptions {
  /** Recordings of the new build. */
  readonly with: readonly string[];
  /** ms */
  readonly failOnNew?: number;
  readonly markdown?: string;
  readonly json?: string;
  readonly pprof?: string;
  readonly report?: string;
  readonly junit?: string;
  readonly gitlab?: string;
  readonly open?: true;
  readonly color: boolean;
  /** Of Loopwatch. */
  readonly version: string;
}

const OUTPUTS = ['markdown', 'json', 'pprof', 'junit', 'gitlab', 'report'] as const;

/** Compares the recordings of two builds and prints what is new, gone, worse and better. */
export async function compare(baseFiles: readonly string[], options: CompareOptions): Promise<void> {
  const { markdown, json, pprof, junit, gitlab, report } = await prepareFilesOf(OUTPUTS, options);
  const base = await readRecordings(distinct(baseFiles));
  const head = await readRecordings(distinct(options.with));
  const comparison = compareRecordings(base, head);

  const style = styleFor(process.stdout, options.color)();
  printLines(printedLines(comparisonLines(comparison, base, head, style)));
  const text = comparisonMarkdown(comparison, base, head);
  const findings = findingsOfComparison(comparison, head, options.failOnNew ?? Infinity, checkoutRoot(process.env));
  const written: boolean[] = [];
  const write = async (file: OutputFile | undefined, content: () => OutputContent | Promise<OutputContent>) => {
    if (file) written.push(await attemptToWrite(async () => file.write(await content()), say));
  };
  await write(markdown, () => text);
  await write(json, () => `${JSON.stringify(comparison, undefined, 2)}\n`);
  await write(gitlab, () => gitlabReport(findings));
  await write(junit, () => junitXml(findings, suiteOf(head)));
  // Behind what was printed: GitHub takes commands of this stream again from there on.
  await reportToGitHub(findings, text, say, process.stdout);

  const [first, ...others] = head;
  if (first) await write(pprof, () => pprofOfDifference(base, [first, ...others]));
  if (report) {
    const openReport = options.open === true;
    const html = (): Promise<string> => comparisonHtml(createComparisonReport(comparison, base, head, options.version));
    written.push(await attemptToWrite(async () => writeReport(report, await html(), { print: say, openReport }), say));
  }

  const failure = options.failOnNew === undefined ? undefined : failureOfNew(comparison, options.failOnNew);
  if (failure !== undefined) process.stderr.write(`${failure}\n`);
  const faults = { blockedTooLong: failure !== undefined, isIncomplete: written.includes(false) };
  const { code } = finalOutcome({ code: 0 }, faults);
  // What could not be printed may have set it.
  if (code !== 0) process.exitCode = code;
}

/** The files of one side, each once: with a run that counts twice, chance would explain less than it does. */
function distinct(names: readonly string[]): string[] {
  const paths = new Set<string>();
  return names.filter((name) => {
    const path = realPathOf(name);
    if (!paths.has(path)) return paths.add(path);
    say(printable(`${name} is given twice on a side: it counts once.`));
    return false;
  });
}

/** A file that cannot be read has an error of its own. */
function realPathOf(name: string): string {
  try {
    return realpathSync(name);
  } catch {
    return name;
  }
}

/** The output is the comparison alone. */
function say(line: string): void {
  process.stderr.write(`loopwatch ${line}\n`);
}

function suiteOf(head: readonly Recording[]): JUnitSuite {
  const [first] = head;
  return {
    name: 'event loop, compared',
    startedMs: first?.startedMs ?? 0,
    nothingFound: 'No culprit is new or worse',
    notKnown: [],
  };
}

/** Why `--fail-on-new` fails; undefined when no new culprit blocks longer than the limit. */
export function failureOfNew({ culprits }: Comparison, limitMs: number): string | undefined {
  const above = culprits.filter(({ verdict, head }) => verdict === 'new' && head.longestMs > limitMs);
  const [longest] = [...above].sort((a, b) => b.head.longestMs - a.head.longestMs);
  if (!longest) return undefined;
  const count = above.length === 1 ? 'A new culprit blocks' : `${plural(above.length, 'new culprit')} block`;
  const by = printable(describe(longest));
  return `Failed: ${count} longer than ${formatMs(limitMs)}: ${by}, ${formatMs(longest.head.longestMs)}.`;
}

function describe(culprit: ComparedCulprit): string {
  const place = placeOfCompared(culprit);
  return `${functionOfCompared(culprit)}${place === '' ? '' : ` (${place})`}`;
}
