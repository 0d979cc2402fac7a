import { promises as fs } from 'node:fs';

import { countOf, type CiFinding } from '../../model/report/ci-findings.js';
import { oneLine } from './markdown.js';

/** GitHub shows so many of each level for a step. */
const MAX_ANNOTATIONS = 10;
/** GitHub takes no larger summary of a step, and then none of it. */
const MAX_SUMMARY_BYTES = 1024 * 1024;
/** An annotation is a sentence. */
const MAX_MESSAGE_LENGTH = 2000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Lines that GitHub takes from the output of a step and shows beside the code:
 * `::error title=Event loop blocked for 1.2 s,file=src/a.ts,line=17::createSpans (src/a.ts:17) took …`
 */
export function annotations(findings: readonly CiFinding[]): string[] {
  const shown = (['error', 'warning'] as const).flatMap((level) =>
    findings.filter((finding) => finding.level === level).slice(0, MAX_ANNOTATIONS),
  );
  const hidden = countOf(findings, 'error') + countOf(findings, 'warning') - shown.length;
  return [
    ...shown.map(annotation),
    ...(hidden > 0 ? [`::notice title=Event loop::${hidden} more culprits are in the summary of the job.`] : []),
  ];
}

function annotation({ level, title, message, place }: CiFinding): string {
  const properties = {
    title,
    ...(place && { file: place.path, line: String(place.line) }),
    ...(place && place.column > 0 && { col: String(place.column) }),
  };
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(value)}`);
  return `::${level} ${list.join(',')}::${escapedData(oneLine(message.slice(0, MAX_MESSAGE_LENGTH)))}`;
}

/**
 * The lines such that GitHub takes none of them as a command: names in them come from the program that was watched, or
 * from a recording of a pull request.
 */
export function withoutCommands(lines: readonly string[]): string[] {
  // The author of a name cannot know it.
  const token = globalThis.crypto.randomUUID();
  return [`::stop-commands::${token}`, ...lines, `::${token}::`];
}

/** Appends Markdown to the summary of the job. Returns why it could not, if so. */
export async function appendSummary(
  markdown: string,
  { GITHUB_STEP_SUMMARY }: Environment,
): Promise<string | undefined> {
  if (GITHUB_STEP_SUMMARY === undefined || GITHUB_STEP_SUMMARY === '') return undefined;
  try {
    const { size } = await fs.stat(GITHUB_STEP_SUMMARY).catch(() => ({ size: 0 }));
    const text = `${size > 0 ? '\n' : ''}${markdown}`;
    if (size + Buffer.byteLength(text) > MAX_SUMMARY_BYTES) {
      return 'The summary of this step has no room left: GitHub takes 1 MiB.';
    }
    await fs.appendFile(GITHUB_STEP_SUMMARY, text);
    return undefined;
  } catch (error) {
    return `Cannot write the summary of the job: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
