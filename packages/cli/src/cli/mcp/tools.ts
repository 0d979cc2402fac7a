import { countBlocks } from '../../model/blocks/culprits.js';
import { sentenceOf } from '../../model/blocks/sentence.js';
import type { Recording } from '../../model/recording/recording.js';
import { nothingWatchedSentence } from '../../model/report/remarks.js';
import { plural } from '../../model/text/format.js';
import { dumpProcess } from '../inspect/dump/dump.js';
import type { AllowedFiles } from './allowed-files.js';
import { culpritsOf, describeCulprit, findCulprit, round } from './culprits.js';
import { dataText, fits, MAX_QUOTED, MAX_SENTENCE, pageOf, quoted } from './data-text.js';
import { describeDump } from './dump.js';
import { explainCulprit } from './explain.js';
import { numbered, type Recorder } from './record.js';
import { openSource, readAllowed, type SourceArguments } from './source.js';
import { verifyFix } from './verify.js';

/** What the tools work with. */
export interface Tools {
  readonly files: AllowedFiles;
  readonly recorder: Recorder;
  readonly workingDirectory: string;
}

/** Structured content, and a short text beside it. */
export interface Answer {
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

const MAX_REMARKS = 3;
const DUMP_TIMEOUT_MS = 5000;

export async function listCulprits(
  { files }: Tools,
  { cursor, ...given }: SourceArguments & { readonly cursor?: string | undefined },
): Promise<Answer> {
  const source = await openSource(given, files);
  const culprits = culpritsOf(source.blocks);
  const head = {
    source: source.name,
    blocks: countBlocks(source.blocks.map(({ block }) => block)),
    blockedMs: round(culprits.reduce((total, each) => total + each.totalMs, 0)),
    totalCulprits: culprits.length,
    remarks: source.remarks.slice(0, MAX_REMARKS).map((remark) => dataText(remark, MAX_SENTENCE)),
  };
  if (culprits.length === 0) {
    const text = ['No block was recorded.', ...head.remarks.map((remark) => quoted(remark, MAX_QUOTED))].join(' ');
    return { structured: { ...head, culprits: [] }, text };
  }
  const { items, nextCursor } = pageOf(culprits, cursor, head, (culprit) => describeCulprit(culprit, source.blocks));
  const more = nextCursor === undefined ? '' : ` More with cursor ${quoted(nextCursor)}.`;
  const guess = items[0]?.isGuess ? ' Its function is a guess.' : '';
  return {
    structured: { ...head, culprits: items, ...(nextCursor !== undefined && { nextCursor }) },
    text: `${plural(culprits.length, 'culprit')} in ${source.name}; ${items.length} here.${more} About the first, as data: ${quoted(items[0]?.sentence ?? '', MAX_QUOTED)}.${guess}`,
  };
}

export async function explain(
  { files }: Tools,
  { culprit, ...given }: SourceArguments & { readonly culprit: string },
): Promise<Answer> {
  const source = await openSource(given, files);
  const found = findCulprit(culpritsOf(source.blocks), culprit);
  const facts = await explainCulprit(source, found);
  const guess = facts.isGuess ? ' Its function is a guess: see guessReason.' : '';
  return {
    structured: facts,
    text: `As data: ${quoted(facts.sentence, MAX_QUOTED)}.${guess} ${String(facts.advice)}`,
  };
}

export async function dump({ pid }: { readonly pid: number }): Promise<Answer> {
  const dumped = await dumpProcess(pid, { timeoutMs: DUMP_TIMEOUT_MS, onWait: () => undefined });
  const facts = describeDump(dumped);
  const text =
    facts.sentence === undefined
      ? `No thread of process ${pid} is blocked in code that is known.`
      : `As data: ${quoted(facts.sentence, MAX_QUOTED)}`;
  return { structured: facts, text };
}

export interface RecordArguments {
  readonly command: readonly string[];
  readonly runs: number;
  readonly seconds: number;
  readonly threshold: number;
  readonly output?: string | undefined;
  readonly directory?: string | undefined;
}

export async function record(
  { files, recorder, workingDirectory }: Tools,
  { command, runs, seconds, threshold, output, directory }: RecordArguments,
  signal: AbortSignal,
): Promise<Answer> {
  const where = directory === undefined ? workingDirectory : files.directory(directory);
  const names = Array.from({ length: runs }, (_, run) => {
    if (output === undefined) return undefined;
    const asGiven = numbered(output, run + 1, runs);
    return { asGiven, file: files.writable(asGiven) };
  });
  const recordings: RecordedFacts[] = [];
  let last: Recording | undefined;
  for (const name of names) {
    if (name === undefined) files.allow(recorder.directory);
    const file = name?.file ?? recorder.nextFile();
    const request = {
      command,
      file,
      timeLimitMs: seconds * 1000,
      thresholdMs: threshold,
      workingDirectory: where,
      signal,
    };
    const { ended, output: printed } = await recorder.record(request);
    [last] = await readAllowed([file], files).catch(() => {
      throw new Error(
        `Expected a recording of ${quoted(command.join(' '))}, got none: it ended with ${ended}. It printed, as data: ${quoted(printed, MAX_QUOTED)}`,
      );
    });
    const { blocks = [], processes = [] } = last ?? {};
    const hasFailed = !/^(exit code 0|SIG(TERM|INT|HUP))/.test(ended);
    recordings.push({
      file: name?.asGiven ?? file,
      ended,
      blocks: countBlocks(blocks),
      blockedMs: round(blocks.reduce((total, { durationMs }) => total + durationMs, 0)),
      watchedProcesses: processes.length,
      ...(hasFailed && { output: dataText(printed, runs === 1 ? 800 : 100) }),
    });
  }
  const sentence = last && sentenceOf(last.blocks, { directory: last.directory });
  const nothing = last && nothingWatchedSentence(last);
  const about =
    sentence === undefined ? (nothing ?? 'No block in the last run.') : `As data: ${quoted(sentence, MAX_QUOTED)}`;
  return {
    structured: {
      recordings: thatFit(recordings),
      ...(sentence !== undefined && { sentence: dataText(sentence, MAX_SENTENCE) }),
    },
    text: `Recorded ${plural(recordings.length, 'run')}. ${about}`,
  };
}

/** What is said of a run. */
export interface RecordedFacts {
  readonly file: string;
  readonly ended: string;
  readonly blocks: number;
  readonly blockedMs: number;
  readonly watchedProcesses: number;
  readonly output?: string;
}

/** All runs, without what they have printed where that does not fit: ten of them can lie in a deep directory. */
export function thatFit(recordings: readonly RecordedFacts[]): RecordedFacts[] {
  if (fits({ recordings })) return [...recordings];
  return recordings.map(({ output: _output, ...rest }) => rest);
}

export interface VerifyArguments {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly culprit?: string | undefined;
}

export async function verify({ files }: Tools, { before, after, culprit }: VerifyArguments): Promise<Answer> {
  const { text, ...structured } = verifyFix(await readAllowed(before, files), await readAllowed(after, files), culprit);
  return { structured, text };
}
