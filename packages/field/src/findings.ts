import type { NodeMajor } from '@loopwatch/node-binaries';

import type { ReportedBlock } from './blocks.ts';
import { isObserver } from './profile/frames.ts';
import { judgeBlock } from './profile/judge-block.ts';
import type { Verdict } from './profile/judge-block.ts';
import { missesOf } from './profile/misses.ts';
import { modes } from './program.ts';
import type { FieldProgram, Mode } from './program.ts';
import type { FinishedRun } from './run/run-program.ts';

/** What a run of a program showed. */
export interface Findings {
  readonly nodeMajor: NodeMajor;
  readonly mode: Mode;
  readonly seconds: number;
  /** How its outcome differs from that of the run without Loopwatch. */
  readonly differences: readonly string[];
  readonly counts: Readonly<Record<Verdict, number>>;
  /** The blocks that are not right. */
  readonly blocks: readonly BlockFinding[];
  readonly misses: readonly string[];
}

export interface BlockFinding {
  readonly verdict: Verdict;
  readonly culprit: string;
  readonly durationMs: number;
  readonly cause: string;
  readonly stackQuality: string;
  readonly reason: string;
  /** The culprit is Loopwatch itself or another package that only observes. */
  readonly isObserver: boolean;
}

/** `loopwatch run` and the instrumentation report what is longer, by default. */
const THRESHOLD_MS = 100;

export function findingsOf(
  { nodeMajor, mode, program }: { nodeMajor: NodeMajor; mode: Mode; program: FieldProgram },
  run: FinishedRun,
  differences: readonly string[],
): Findings {
  const { blocks, timelines, readyAtMs } = run;
  const options = { sourceMapped: program.sourceMapped ?? false };
  const judged = blocks.map((block) => ({ block, ...judgeBlock(block, timelines, options) }));
  const count = (wanted: Verdict): number => judged.filter(({ verdict }) => verdict === wanted).length;
  const misses = missesOf(blocks, timelines, {
    thresholdMs: THRESHOLD_MS,
    ...(readyAtMs !== undefined && { readyAtMs }),
  });
  return {
    nodeMajor,
    mode,
    seconds: Math.round(run.durationMs / 100) / 10,
    differences,
    counts: { right: count('right'), wrong: count('wrong'), unnamed: count('unnamed'), unchecked: count('unchecked') },
    blocks: judged
      .filter(({ verdict }) => verdict !== 'right')
      .map(({ block, verdict, reason }) => ({
        verdict,
        culprit: block.culprit
          ? `${block.culprit.functionName} ${block.culprit.filePath}:${block.culprit.lineNumber}`
          : '',
        durationMs: Math.round(block.durationMs),
        cause: block.cause,
        stackQuality: block.stackQuality,
        reason,
        isObserver: block.culprit !== undefined && isObserver(block.culprit.filePath),
      })),
    misses: [
      ...misses.map(({ place, durationMs, threadId }) => `${place}, ${Math.round(durationMs)} ms, thread ${threadId}`),
      ...missingOf(program, blocks),
    ],
  };
}

function missingOf({ expected = [] }: FieldProgram, blocks: readonly ReportedBlock[]): string[] {
  return expected.flatMap(({ functionName, count }) => {
    const found = blocks.filter(({ culprit }) => culprit?.functionName.split('.').at(-1) === functionName).length;
    return found >= count ? [] : [`${functionName}: ${found} of at least ${count} blocks`];
  });
}

/** The findings of both, in the order of Node majors and modes; of the same run, the later ones. */
export function mergeFindings(earlier: readonly Findings[], later: readonly Findings[]): Findings[] {
  const kept = earlier.filter(
    (old) => !later.some(({ nodeMajor, mode }) => nodeMajor === old.nodeMajor && mode === old.mode),
  );
  return [...kept, ...later].sort((a, b) => a.nodeMajor - b.nodeMajor || modes.indexOf(a.mode) - modes.indexOf(b.mode));
}
