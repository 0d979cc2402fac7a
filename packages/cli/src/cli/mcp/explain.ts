import { summariseBlocks } from '../../model/blocks/culprit-summary.js';
import { type LineTime, lineTimes, sourceLines } from '../../model/stacks/line-times.js';
import { parseStack } from '../../model/stacks/stack.js';
import type { Block } from '../../model/types.js';
import { adviceOf } from './advice.js';
import { describeCulprit, type DescribedCulprit, type FoundCulprit, round } from './culprits.js';
import { dataText, withWhatFits } from './data-text.js';
import type { BlockSource, SourceDetails } from './source.js';

const MAX_PARTS = 8;
const MAX_FRAMES = 12;
const MAX_LINES = 30;
const MAX_LINE = 160;
/** Answers of V8 that are no proof: see `model/text/guess.ts`. */
const GUESS_REASON =
  'The function was on the stack once or twice only, or when a native call had returned: it, or what ran before it, blocked. Look at its callees and at the code before it, too.';

/** Everything about a culprit, as much of it as fits. */
export async function explainCulprit(source: BlockSource, culprit: FoundCulprit): Promise<DescribedCulprit> {
  const details = await source.details(culprit.blocks);
  const facts = describeCulprit(culprit, source.blocks);
  const blocks = culprit.blocks.map(({ block }) => block);
  const { causes } = summariseBlocks(blocks, new Map());
  const base = {
    ...facts,
    ...(facts.isGuess && { guessReason: GUESS_REASON }),
    causeReason: causeReason(blocks),
    causes: causes.map(({ name, totalMs }) => ({ cause: name, totalMs: round(totalMs) })),
    advice: adviceOf(facts.looksLike),
  };
  return withWhatFits(base, {
    stackOfLongest: stackOf(details.longest),
    source: sourceOf(blocks, details),
    waited: waitedOf(details),
    requestTimes: requestsOf(blocks),
  });
}

function requestsOf(blocks: readonly Block[]): object[] {
  const inRequests = blocks.filter(({ request }) => request !== undefined);
  if (inRequests.length === 0) return [];
  return summariseBlocks(inRequests, new Map())
    .requests.slice(0, MAX_PARTS)
    .map(({ name, count, totalMs, longestMs }) => ({
      request: dataText(name),
      count,
      totalMs: round(totalMs),
      longestMs: round(longestMs),
    }));
}

function waitedOf({ victims = [] }: SourceDetails): object[] {
  return victims.slice(0, MAX_PARTS).map(({ name, count, longestMs }) => ({
    request: dataText(name),
    count,
    longestMs: round(longestMs),
  }));
}

/** `of 480 ms: CPU 92 %, garbage collection 3 %, waiting for a CPU 5 %`, as far as it was measured. */
function causeReason(blocks: readonly Block[]): string {
  const totalMs = sum(blocks, ({ durationMs }) => durationMs);
  const parts = (
    [
      ['on a CPU', 'cpuMs'],
      ['in garbage collection', 'gcMs'],
      ['waiting for a CPU', 'runQueueMs'],
    ] as const
  ).flatMap(([name, field]) => {
    const measured = blocks.filter((block) => block[field] !== undefined);
    if (measured.length === 0) return [];
    const share = sum(measured, (block) => block[field] ?? 0) / sum(measured, ({ durationMs }) => durationMs);
    return [`${Math.round(share * 100)} % ${name}`];
  });
  return parts.length === 0 ? 'not measured' : `of ${Math.round(totalMs)} ms: ${parts.join(', ')}`;
}

function sourceOf(blocks: readonly Block[], { sources }: SourceDetails): SourceLineFact[] {
  const filePath = blocks.find(({ culprit }) => culprit)?.culprit?.filePath;
  if (filePath === undefined) return [];
  const times: LineTime[] = lineTimes(blocks, filePath);
  return sourceLines(sources, filePath, times)
    .slice(0, MAX_LINES)
    .map(({ lineNumber, ms, text }) => ({
      line: lineNumber,
      ...(ms > 0 && { blockedMs: round(ms) }),
      text: dataText(text, MAX_LINE),
    }));
}

interface SourceLineFact {
  readonly line: number;
  readonly blockedMs?: number;
  readonly text: string;
}

function stackOf(block: Block | undefined): string[] {
  return parseStack(block?.stackTrace ?? '')
    .slice(0, MAX_FRAMES)
    .map(({ text }) => dataText(text));
}

function sum(blocks: readonly Block[], of: (block: Block) => number): number {
  return blocks.reduce((total, block) => total + of(block), 0);
}
