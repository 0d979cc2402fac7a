import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

import type { PlainFrame, PlainSample, Recorded } from './recorder/recorded.ts';
import type { RecordedRun } from './recording.ts';

/**
 * The runs of one file: frames and stacks once for all of them, samples as rows of numbers, most of which are distances
 * to the row before, in microseconds. Brotli does the rest.
 */
interface Packed {
  readonly frames: readonly PlainFrame[];
  readonly stacks: readonly (readonly number[])[];
  readonly texts: readonly string[];
  readonly runs: readonly PackedRun[];
}

type PackedRun = Omit<RecordedRun, 'periods'> & { readonly periods: readonly PackedPeriod[] };

type PackedPeriod = Omit<Recorded, 'type' | 'frames' | 'period'> & {
  readonly period: Omit<Recorded['period'], 'samples'>;
  readonly rows: readonly Row[];
  /** The frames of the record that no sample has. */
  readonly frames: readonly number[];
};

type Row = readonly (number | null | readonly string[])[];

export function pack(runs: readonly RecordedRun[]): Buffer {
  const frames = new Interned<PlainFrame>(JSON.stringify);
  const stacks = new Interned<readonly number[]>((stack) => stack.join());
  const texts = new Interned<string>((text) => text);
  const packed: Packed = {
    frames: frames.values,
    stacks: stacks.values,
    texts: texts.values,
    runs: runs.map((run) => ({
      ...run,
      periods: run.periods.map(({ type: _, frames: own, period: { samples, ...period }, ...others }) => ({
        ...others,
        period,
        frames: own.map((frame) => frames.placeOf(frame)),
        rows: rowsOf(samples, (sample) => [
          stacks.placeOf(sample.frames.map((place) => frames.placeOf(own[place]!))),
          texts.placeOf(sample.asyncResource),
        ]),
      })),
    })),
  };
  const text = Buffer.from(JSON.stringify(packed));
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(text, {
    params: { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: text.length },
  });
}

export function unpack(data: Uint8Array): RecordedRun[] {
  const { frames, stacks, texts, runs } = JSON.parse(brotliDecompressSync(data).toString()) as Packed;
  return runs.map((run) => ({
    ...run,
    periods: run.periods.map(({ rows, frames: own, period, ...others }): Recorded => {
      const places = new Map(own.map((place, i) => [place, i]));
      const samples = samplesOf(rows, (stack, text) => ({
        frames: stacks[stack]!.map((place) => places.get(place)!),
        asyncResource: texts[text]!,
      }));
      return {
        type: 'period',
        ...others,
        frames: own.map((place) => frames[place]!),
        period: { ...period, samples },
      };
    }),
  }));
}

function rowsOf(samples: readonly PlainSample[], shared: (sample: PlainSample) => [number, number]): Row[] {
  let at = 0;
  let cpu = 0;
  let queue = 0;
  let sentQueue = 0;
  return samples.map((sample) => {
    const { requestedAt, sentAt, sentRunQueueMs, takenAt, isFirst, context, asyncId, pending, threadTimes } = sample;
    const taken = micro(takenAt);
    const row: Row = [
      micro(requestedAt) - at,
      sentAt === undefined ? null : micro(sentAt) - micro(requestedAt),
      taken - micro(requestedAt),
      sentRunQueueMs === undefined ? null : micro(sentRunQueueMs) - sentQueue,
      threadTimes === undefined ? null : micro(threadTimes.cpuMs) - cpu,
      threadTimes?.runQueueMs === undefined ? null : micro(threadTimes.runQueueMs) - queue,
      (isFirst ? 1 : 0) + (sample.inspected ? 2 : 0) + (sample.passedCheckpoint ? 4 : 0),
      ...shared(sample),
      context ?? null,
      asyncId,
      ...(pending === undefined ? [] : [pending]),
    ];
    at = taken;
    cpu = threadTimes === undefined ? cpu : micro(threadTimes.cpuMs);
    queue = threadTimes?.runQueueMs === undefined ? queue : micro(threadTimes.runQueueMs);
    sentQueue = sentRunQueueMs === undefined ? sentQueue : micro(sentRunQueueMs);
    return row;
  });
}

function samplesOf(
  rows: readonly Row[],
  shared: (stack: number, text: number) => Pick<PlainSample, 'frames' | 'asyncResource'>,
): PlainSample[] {
  let at = 0;
  let cpu = 0;
  let queue = 0;
  let sentQueue = 0;
  return rows.map((row) => {
    const [requested, sent, taken, sentQueueStep, cpuStep, queueStep, flags, stack, text, context, asyncId] = row as (
      number | null
    )[];
    const requestedAt = at + requested!;
    at = requestedAt + taken!;
    if (sentQueueStep !== null) sentQueue += sentQueueStep!;
    if (cpuStep !== null) cpu += cpuStep!;
    if (queueStep !== null) queue += queueStep!;
    const pending = row[11] as readonly string[] | undefined;
    return {
      requestedAt: ms(requestedAt),
      ...(sent !== null && { sentAt: ms(requestedAt + sent!) }),
      ...(sentQueueStep !== null && { sentRunQueueMs: ms(sentQueue) }),
      takenAt: ms(at),
      passedCheckpoint: (flags! & 4) !== 0,
      isFirst: (flags! & 1) !== 0,
      ...shared(stack!, text!),
      ...(context !== null && { context: context! }),
      asyncId: asyncId!,
      ...(pending && { pending }),
      ...(cpuStep !== null && {
        threadTimes: { cpuMs: ms(cpu), runQueueMs: queueStep === null ? undefined : ms(queue) },
      }),
      inspected: (flags! & 2) !== 0,
    };
  });
}

function micro(value: number): number {
  return Math.round(value * 1000);
}

function ms(value: number): number {
  return value / 1000;
}

/** Values by place, equal ones once. */
class Interned<T> {
  readonly values: T[] = [];
  readonly #keyOf: (value: T) => string;
  readonly #places = new Map<string, number>();

  constructor(keyOf: (value: T) => string) {
    this.#keyOf = keyOf;
  }

  placeOf(value: T): number {
    const key = this.#keyOf(value);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.values.push(value) - 1;
      this.#places.set(key, place);
    }
    return place;
  }
}
