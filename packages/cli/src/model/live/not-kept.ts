import { plural } from '../text/format.js';

/** What has arrived and is not kept: numbers of entries since the start. */
export interface NotKept {
  /** Evicted by a limit of number or memory, the oldest first. */
  readonly blocks: number;
  /** Traces with a block in them. Others are evicted all the time: nothing shows them. */
  readonly traces: number;
  /** Of traces that are longer than what is kept of one. */
  readonly spans: number;
  readonly victims: number;
  readonly lagPoints: number;
  readonly threads: number;
  readonly instances: number;
  /** Long waits for libuv's thread pool. */
  readonly poolWaits: number;
  /** Of the busy time of loops. */
  readonly busyPeriods: number;
  /** Spans, metrics and blocks whose ids, times or numbers cannot be true. */
  readonly invalid: number;
}

export const ALL_KEPT: NotKept = {
  blocks: 0,
  traces: 0,
  spans: 0,
  victims: 0,
  lagPoints: 0,
  threads: 0,
  instances: 0,
  poolWaits: 0,
  busyPeriods: 0,
  invalid: 0,
};

const NOUNS: Readonly<Record<Exclude<keyof NotKept, 'invalid'>, string>> = {
  blocks: 'block',
  traces: 'trace with a block',
  spans: 'span of long traces',
  victims: 'waiting span',
  lagPoints: 'point of the lag',
  threads: 'thread',
  instances: 'process',
  poolWaits: 'wait for the thread pool',
  busyPeriods: 'period of busy time',
};
const PLURALS: Readonly<Partial<Record<string, string>>> = {
  'trace with a block': 'traces with a block',
  'span of long traces': 'spans of long traces',
  'point of the lag': 'points of the lag',
  process: 'processes',
  'wait for the thread pool': 'waits for the thread pool',
  'period of busy time': 'periods of busy time',
};

/**
 * `Not kept, because limits were reached: 120 blocks, 3 processes. Refused as invalid: 2 entries.` Undefined if all of it
 * is kept.
 */
export function notKeptText(notKept: NotKept): string | undefined {
  const parts = (Object.keys(NOUNS) as (keyof typeof NOUNS)[]).flatMap((kind) =>
    notKept[kind] > 0 ? [countText(notKept[kind], NOUNS[kind])] : [],
  );
  const sentences = [
    ...(parts.length > 0 ? [`Not kept, because limits were reached: ${parts.join(', ')}.`] : []),
    ...(notKept.invalid > 0
      ? [`Refused, because their ids, times or numbers are invalid: ${countText(notKept.invalid, 'entry', 'entries')}.`]
      : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

function countText(count: number, noun: string, nouns = PLURALS[noun]): string {
  return count === 1 || nouns === undefined ? plural(count, noun) : `${count} ${nouns}`;
}
