import { type BlockFilter, matchesInstance } from '../blocks/filter.js';
import type { Saturation } from '../delays/saturation.js';
import { type FlameFrame, type FlameNode, mergeStacks, parseFolded, type Stack } from '../stacks/flame.js';
import { frameKind } from '../stacks/stack.js';
import type { TimeRange } from '../time-range.js';
import type { Instance } from '../types.js';
import { type BusyEntry, type BusyPart, type BusyPeriod, divideBusyTime, sumBusyTime } from './busy.js';

/** What the page shows of the busy time. */
export interface BusyView {
  readonly busyMs: number;
  /** Part of it that is in blocks. */
  readonly blockedMs: number;
  /** Number of answers that divide it; 0 where it is not known. */
  readonly answers: number;
  /** The first of them by time. */
  readonly entries: readonly BusyEntry[];
  readonly entryCount: number;
  /** Of all busy time, where stacks are known. */
  readonly flame: FlameNode;
  /** The same without blocks. */
  readonly flameOutsideBlocks: FlameNode;
}

const MAX_ENTRIES = 200;
/** A stack without frames: Node.js itself, or not known. */
const NO_STACK = '(no function)';

/**
 * The busy time of these threads; of a period that reaches beyond the range, the part within it. A metric has no stacks:
 * the flame graph is then that of the saturated times.
 */
export function busyView(
  periods: readonly BusyPeriod[],
  range?: TimeRange,
  saturations: readonly Saturation[] = [],
): BusyView {
  const parts = divideBusyTime(periods, range);
  const entries = sumBusyTime(parts);
  const hasStacks = parts.some(({ stack }) => stack !== undefined);
  const outside = parts.filter(({ isInBlock }) => !isInBlock);
  const sum = (of: (part: BusyPart) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    busyMs: sum(({ ms }) => ms),
    blockedMs: sum(({ ms, isInBlock }) => (isInBlock ? ms : 0)),
    answers: Math.round(sum(({ answerCount }) => answerCount)),
    entries: entries.slice(0, MAX_ENTRIES),
    entryCount: entries.length,
    flame: flameOf(hasStacks ? parts : partsOfSaturations(saturations)),
    flameOutsideBlocks: flameOf(hasStacks ? outside : []),
  };
}

/** What of the busy time a filter of instances leaves; causes and culprits are of blocks only. */
export function filterPeriods<T extends BusyPeriod | Saturation>(
  periods: Iterable<T>,
  filter: BlockFilter,
  instances: ReadonlyMap<string, Instance>,
): T[] {
  return [...periods].filter(({ instance }) => matchesInstance(filter, instance, instances));
}

/** Stacks of saturated times. */
function partsOfSaturations(saturations: readonly Saturation[]): BusyPart[] {
  return saturations.flatMap(({ profile = '', culprit }) =>
    parseFolded(profile).map(([frames, ms]) => ({
      stack: frames.join(';'),
      ...(culprit && { culprit }),
      ms,
      guessMs: 0,
      answerCount: 0,
    })),
  );
}

function flameOf(parts: readonly BusyPart[]): FlameNode {
  const frames = new Map<string, FlameFrame>();
  for (const { culprit } of parts) {
    if (!culprit || frames.has(culprit.functionName)) continue;
    const { functionName: name, filePath, lineNumber } = culprit;
    const kind = frameKind({ functionName: name, filePath, isAwait: false, text: '' });
    frames.set(name, { name, place: `${filePath}:${lineNumber}`, kind });
  }
  const stacks = parts.map(({ stack, culprit, ms }): Stack => {
    return [stack?.split(';') ?? [culprit?.functionName ?? NO_STACK], ms];
  });
  return mergeStacks(stacks, (name) => frames.get(name) ?? { name, kind: 'unknown' });
}
