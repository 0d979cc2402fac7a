import { median } from '@loopwatch/test-support';

import type { Report, TrueBlock } from './records.ts';

/** What a peer reported right. A count is absent when no report of the peer has that aspect. */
export interface QualitySummary {
  readonly blocks: number;
  /** Blocks with at least one report. */
  readonly seen: number;
  readonly lengthErrorMs?: number;
  readonly rightLine?: number;
  readonly rightSpan?: number;
  readonly rightCause?: number;
  readonly knownAfterMs?: number;
  readonly hangKnownAfterMs?: number;
  /** What was not reported or reported wrong, one phrase each. */
  readonly misses: readonly string[];
}

type AspectName = 'rightLine' | 'rightSpan' | 'rightCause';

/** One aspect of a block that a report can have right. */
interface Aspect {
  readonly name: AspectName;
  /** A phrase for what the report says; undefined when it says nothing of this aspect. */
  readonly describe: (report: Report) => string | undefined;
  readonly isRight: (report: Report, block: TrueBlock) => boolean;
}

const aspects: readonly Aspect[] = [
  {
    name: 'rightLine',
    describe: (report) => {
      const place = placeOf(report);
      return place && `line ${place.line}`;
    },
    isRight: isRightLine,
  },
  {
    name: 'rightSpan',
    describe: ({ spanId }) => spanId && `span ${spanId}`,
    isRight: ({ spanId }, block) => spanId === block.spanId,
  },
  {
    name: 'rightCause',
    describe: ({ cause }) => cause && `cause ${cause}`,
    isRight: ({ cause }, block) => cause !== undefined && block.causes.includes(cause),
  },
];

/** For a peer whose reports of other blocks have the aspect, but not those of this block. */
const missingPhrases: Readonly<Record<AspectName, string>> = {
  rightLine: 'no line',
  rightSpan: 'no span',
  rightCause: 'no cause',
};

interface Match {
  readonly block: TrueBlock;
  /** In order of arrival. */
  readonly reports: readonly Report[];
}

/** Compares a peer's reports with what happened. Of several reports of one block, the best counts. */
export function judge(blocks: readonly TrueBlock[], reports: readonly Report[]): QualitySummary {
  const matches = blocks.map((block, index) => matchOf(block, blocks[index + 1], reports));
  const seen = matches.filter((match) => match.reports.length > 0);
  const lengthErrors = seen.flatMap(({ block, reports: found }) => {
    const errors = found.flatMap(({ durationMs }) =>
      durationMs === undefined ? [] : [Math.abs(durationMs - lengthOf(block))],
    );
    return errors.length === 0 ? [] : [Math.min(...errors)];
  });
  const delays = seen.flatMap(({ block, reports: [first] }) =>
    // A gauge is reported when the reader reads it, at any time.
    first === undefined || first.isGauge === true ? [] : [first.atEpochMs - block.startEpochMs],
  );
  // A peer is not wrong about an aspect that none of its reports has.
  const reportedAspects = aspects.filter(({ describe }) =>
    seen.some((match) => match.reports.some((report) => describe(report) !== undefined)),
  );
  return {
    blocks: blocks.length,
    seen: seen.length,
    ...optional('lengthErrorMs', lengthErrors),
    ...rightCounts(reportedAspects, seen),
    ...optional('knownAfterMs', delays),
    misses: matches.flatMap((match) => missesOf(match, reportedAspects)),
  };
}

/**
 * Takes reports from the start of the block until the next block. A report of less than half its length means another
 * delay.
 */
function matchOf(block: TrueBlock, next: TrueBlock | undefined, reports: readonly Report[]): Match {
  return {
    block,
    reports: reports
      .filter(
        ({ atEpochMs, durationMs = Infinity }) =>
          atEpochMs >= block.startEpochMs &&
          atEpochMs < (next?.startEpochMs ?? Infinity) &&
          durationMs > lengthOf(block) / 2,
      )
      .sort((a, b) => a.atEpochMs - b.atEpochMs),
  };
}

function lengthOf({ startEpochMs, endEpochMs }: TrueBlock): number {
  return endEpochMs - startEpochMs;
}

function isRightLine(report: Report, { file, lines: [first, last] }: TrueBlock): boolean {
  const place = placeOf(report, file);
  return place?.file === file && place.line >= first && place.line <= last;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** The place that a report names. Of a stack, it is the innermost frame in that file, where a reader would look. */
function placeOf({ file, line, stack }: Report, inFile = ''): Place | undefined {
  if (file !== undefined && line !== undefined) return { file, line };
  const frames = (stack ?? '').split('\n').flatMap((frame): Place[] => {
    const [, path, lineNumber] = /\(?(?:file:\/\/)?(\/[^():]+):(\d+):\d+\)?$/.exec(frame.trim()) ?? [];
    return path === undefined ? [] : [{ file: path, line: Number(lineNumber) }];
  });
  return frames.find((frame) => frame.file === inFile) ?? frames[0];
}

function optional<Key extends string>(key: Key, values: readonly number[]): Partial<Record<Key, number>> {
  return values.length === 0 ? {} : ({ [key]: median(values) } as Partial<Record<Key, number>>);
}

function rightCounts(reportedAspects: readonly Aspect[], seen: readonly Match[]): Partial<Record<AspectName, number>> {
  return Object.fromEntries(
    reportedAspects.map(({ name, isRight }) => [
      name,
      seen.filter(({ block, reports }) => reports.some((report) => isRight(report, block))).length,
    ]),
  );
}

function missesOf({ block, reports }: Match, reportedAspects: readonly Aspect[]): string[] {
  if (reports.length === 0) return [`${block.name} not reported`];
  return reportedAspects.flatMap(({ name, describe, isRight }) => {
    if (reports.some((report) => isRight(report, block))) return [];
    const wrongPhrase = reports.map(describe).find((phrase) => phrase !== undefined);
    return [`${block.name} ${wrongPhrase ?? missingPhrases[name]}`];
  });
}
