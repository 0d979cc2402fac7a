import process from 'node:process';

import type { Finding } from '../../model/findings.js';
import { annotations, appendSummary, isGitHub, withoutCommands } from '../files/github.js';

/** Root of the checkout, for a recording that does not know its repository. */
export function checkoutRoot({ GITHUB_WORKSPACE, CI_PROJECT_DIR }: NodeJS.ProcessEnv): string | undefined {
  return GITHUB_WORKSPACE ?? CI_PROJECT_DIR;
}

/** Whether this is a job of GitHub Actions, which gets annotations and a summary. */
export function isGitHubJob(): boolean {
  return isGitHub(process.env);
}

/** In a job of GitHub Actions, writes the findings beside the code, and the Markdown to the summary of the job. */
export async function reportToGitHub(
  findings: readonly Finding[],
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
