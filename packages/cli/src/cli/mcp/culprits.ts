import { adviceUrl, commonKind, kindName } from '../../model/advice/culprit-kind.js';
import { stretchOf } from '../../model/blocks/cpu-wait.js';
import { summariseCulprit, timesOf } from '../../model/blocks/culprits.js';
import { sentenceAbout } from '../../model/blocks/sentence.js';
import { groupBy } from '../../model/collections.js';
import { formatPlace } from '../../model/text/place.js';
import { dataText, MAX_SENTENCE, quoted } from './data-text.js';
import { culpritId, type LocatedBlock } from './source.js';

const MAX_REQUESTS = 3;

/** A culprit with its blocks. */
export interface FoundCulprit {
  readonly id: string;
  readonly blocks: readonly LocatedBlock[];
  readonly totalMs: number;
}

/** The culprits of the blocks, most blocked time first. */
export function culpritsOf(blocks: readonly LocatedBlock[]): FoundCulprit[] {
  return [...groupBy(blocks, culpritId)]
    .map(([id, own]) => ({ id, blocks: own, totalMs: totalMs(own) }))
    .sort((a, b) => b.totalMs - a.totalMs);
}

/** The culprit with that id, or else the one function of that name. Throws if there is not one. */
export function findCulprit(culprits: readonly FoundCulprit[], wanted: string): FoundCulprit {
  const named = culprits.filter(
    ({ id, blocks }) => id === wanted || blocks.some(({ block }) => block.culprit?.functionName === wanted),
  );
  const found = named.find(({ id }) => id === wanted) ?? named[0];
  if (found && (found.id === wanted || named.length === 1)) return found;
  const got = named.length > 1 ? `a name that ${named.length} culprits have` : 'one that did not block';
  throw new Error(
    `Expected the id of a culprit as list_culprits gives it, or the name of one function, got ${quoted(wanted)}: ${got}.`,
  );
}

/** What is said of a culprit in a list. */
export function describeCulprit({ id, blocks }: FoundCulprit, all: readonly LocatedBlock[]): DescribedCulprit {
  const own = blocks.map(({ block }) => block);
  const longest = blocks.reduce((a, b) => (b.block.durationMs > a.block.durationMs ? b : a));
  const { directory } = longest;
  const summary = summariseCulprit(id, own);
  const { location } = summary;
  const kind = commonKind(own);
  const stretch = stretchOf(timesOf(summary));
  const everyBlock = all.map(({ block }) => block);
  return {
    id,
    ...(location && {
      function: dataText(location.functionName),
      place: dataText(formatPlace(location, directory)),
      file: dataText(location.filePath),
      line: location.lineNumber,
    }),
    isGuess: summary.guess,
    cause: summary.cause,
    share: round(totalMs(blocks) / Math.max(totalMs(all), Number.MIN_VALUE), 3),
    count: summary.count + summary.suppressedCount,
    totalMs: round(summary.totalMs),
    longestMs: round(summary.longestMs),
    ...(stretch !== undefined && { stretchedByCpuWait: round(stretch, 2) }),
    requests: summary.requests.slice(0, MAX_REQUESTS).map((name) => dataText(name)),
    ...(kind && { looksLike: { kind: kindName(kind.kind), isGuess: kind.isGuess, advice: adviceUrl(kind.kind) } }),
    sentence: dataText(sentenceAbout(own, everyBlock, { directory }), MAX_SENTENCE),
  };
}

export interface DescribedCulprit {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly isGuess: boolean;
  readonly cause: string;
  readonly sentence: string;
}

function totalMs(blocks: readonly LocatedBlock[]): number {
  return blocks.reduce((total, { block }) => total + block.durationMs, 0);
}

/** Figures that a reader can use. */
export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
