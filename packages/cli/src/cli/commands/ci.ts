import process from 'node:process';

import type { Recording } from '../../model/recording/recording.js';
import { failingLimit, type CiFinding, findingsOfRun } from '../../model/report/ci-findings.js';
import { nothingWatchedSentence, remarksOn } from '../../model/report/remarks.js';
import { formatMs } from '../../model/text/format.js';
import { annotations, appendSummary, withoutCommands } from '../files/github.js';
import { runMarkdown } from '../files/run-markdown.js';
import { isGitHubJob } from './github-job.js';

/** Root of the checkout, for a recording that does not know its repository. */
export function checkoutRoot({ GITHUB_WORKSPACE, CI_PROJECT_DIR }: NodeJS.ProcessEnv): string | undefined {
  return GITHUB_WORKSPACE ?? CI_PROJECT_DIR;
}

/** The findings of a run, for a file or a job that wants them. */
export function findingsForCi(recording: Recording, failOn: number | undefined): CiFinding[] {
  return findingsOfRun(recording, failingLimit(recording, failOn), checkoutRoot(process.env));
}

interface RunReport {
  /** ms */
  readonly failOn: number | undefined;
  /** ms */
  readonly threshold: number;
  /** The program ran already. */
  readonly isAttached: boolean;
  /** Why the run fails, if it does. */
  readonly failure: string | undefined;
  readonly say: (line: string) => void;
}

/** In a job of GitHub Actions, reports a run that has a limit. */
export async function reportRunToGitHub(
  recording: Recording,
  findings: readonly CiFinding[],
  { failOn, threshold, isAttached, failure, say }: RunReport,
): Promise<void> {
  const { killedAfterMs } = recording.exit;
  if (!isGitHubJob() || (failOn ?? killedAfterMs) === undefined) return;
  const nothing = nothingWatchedSentence(recording, isAttached);
  const remarks = [nothing ?? [], remarksOn(recording, threshold)].flat();
  const killed =
    killedAfterMs === undefined ? undefined : `Ended: it was blocked for longer than ${formatMs(killedAfterMs)}.`;
  await reportToGitHub(findings, runMarkdown(recording, killed ?? failure, remarks), say);
}

/** In a job of GitHub Actions, writes the findings beside the code, and the Markdown to the summary of the job. */
export async function reportToGitHub(
  findings: readonly CiFinding[],
  markdown: string,
  say: (line: string) => void,
  stream: NodeJS.WritableStream = process.stderr,
): Promise<void> {
  if (!isGitHubJob()) return;
  // GitHub reads both streams of a step.
  for (const line of annotations(findings)) stream.write(`${line}\n`);
  const problem = await appendSummary(markdown, process.env);
  if (problem !== undefined) say(problem);
}

/** Lines of stdout with names of a program, as they are printed where GitHub would take some for its commands. */
export function printedLines(lines: readonly string[]): readonly string[] {
  return isGitHubJob() ? withoutCommands(lines) : lines;
}
