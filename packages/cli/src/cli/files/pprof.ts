import { promisify } from 'node:util';

import {
  Function as PprofFunction,
  Label,
  Line,
  Location,
  Mapping,
  Profile,
  Sample,
  StringTable,
  ValueType,
} from 'pprof-format';

import { type BusyPart, divideBusyTime, functionKey } from '../../model/busy-time/busy.js';
import { busyPeriodsOfRecording, type RecordedBusyTime } from '../../model/busy-time/recorded-busy-time.js';
import { groupBy } from '../../model/collections.js';
import type { Recording } from '../../model/recording/recording.js';
import { formatInstance } from '../../model/text/format.js';
import type { Block } from '../../model/types.js';
import { type FramePlace, markedStacks, placesOf } from './frames.js';

const NANOSECONDS_PER_MS = 1e6;
/** The only mapping: pprof asks it whether names and lines are known already. */
const MAPPING_ID = 1;

/** What a profile needs of a recording; `serve` has no whole one. */
type ProfiledRecording = { readonly busyTime?: RecordedBusyTime } & Pick<
  Recording,
  'blocks' | 'processes' | 'command' | 'startedMs' | 'durationMs' | 'loopwatchVersion' | 'programVersion' | 'vcs'
>;

/** A recording as part of a profile. */
interface Part {
  readonly recording: ProfiledRecording;
  /** Each value is multiplied by it. */
  readonly factor: number;
  /** Of each sample. */
  readonly labels: readonly (readonly [key: string, value: string])[];
}

/** The blocked time as pprof's `profile.proto`, compressed as its readers expect it. */
export async function pprofOf(recording: ProfiledRecording): Promise<Uint8Array> {
  return encoded(profileOf([{ recording, factor: 1, labels: [] }], recording));
}

/**
 * How much more head blocked than base, compressed: base counts negative, as often as head was run. Readers of pprof show
 * such a profile as a difference. The label `build` is `base` or `head`.
 */
export async function pprofOfDifference(
  base: readonly ProfiledRecording[],
  head: readonly [ProfiledRecording, ...ProfiledRecording[]],
): Promise<Uint8Array> {
  const partsOf = (recordings: readonly ProfiledRecording[], build: string, factor: number): Part[] =>
    recordings.map((recording) => ({ recording, factor, labels: [['build', build]] }));
  const parts = [...partsOf(head, 'head', 1), ...partsOf(base, 'base', -head.length / base.length)];
  return encoded(profileOf(parts, head[0]));
}

async function encoded(profile: Profile): Promise<Uint8Array> {
  const { gzip } = await import('node:zlib');
  return promisify(gzip)(await profile.encodeAsync());
}

/** Frames of all samples together. Above it, a block is shown as its culprit alone: hostile stacks have millions. */
const MAX_FRAMES = 500_000;

/** Each stack of each block is a sample. Samples of equal stacks are not added up: their blocks' labels differ. */
function profileOf(parts: readonly Part[], described: ProfiledRecording): Profile {
  const strings = new StringTable();
  const textOf = (text: string): number => strings.dedup(text);
  const frames = new FrameTable(textOf);
  const left = { frames: MAX_FRAMES };
  const busyTime = new ValueType({ type: textOf('busy'), unit: textOf('nanoseconds') });
  const blockedTime = new ValueType({ type: textOf('blocked'), unit: textOf('nanoseconds') });

  return new Profile({
    // Readers that ignore the default take the last type.
    sampleType: [new ValueType({ type: textOf('blocks'), unit: textOf('count') }), busyTime, blockedTime],
    defaultSampleType: blockedTime.type,
    periodType: blockedTime,
    period: 1,
    sample: parts.flatMap((part) => [
      ...samplesOf(part, frames, textOf, left),
      ...busySamplesOf(part, frames, textOf, left),
    ]),
    mapping: [
      new Mapping({
        id: MAPPING_ID,
        filename: textOf(described.command[0] ?? ''),
        hasFunctions: true,
        hasFilenames: true,
        hasLineNumbers: true,
      }),
    ],
    location: frames.locations,
    function: frames.functions,
    timeNanos: BigInt(Math.round(described.startedMs)) * BigInt(NANOSECONDS_PER_MS),
    durationNanos: Math.round(described.durationMs * NANOSECONDS_PER_MS),
    comment: commentsOf(described).map(textOf),
    stringTable: strings,
  });
}

function samplesOf(
  { recording, factor, labels }: Part,
  frames: FrameTable,
  textOf: (text: string) => number,
  left: { frames: number },
): Sample[] {
  const processes = new Map(recording.processes.map((process) => [process.id, formatInstance(process)]));
  const placesOfAll = placesOf(recording.blocks);
  return recording.blocks.flatMap((block) => {
    // Functions of different files can have the same name: the block's own stack trace knows best.
    const ownPlaces = placesOf([block]);
    const locationOf = (name: string): number => frames.idOf(name, ownPlaces.get(name) ?? placesOfAll.get(name));
    const label = [...labelsOf(block, processes.get(block.instance) ?? block.instance), ...labels].map(
      ([key, value]) => new Label({ key: textOf(key), str: textOf(value) }),
    );
    return valuesOf(left.frames > 0 ? block : withoutProfile(block)).map(({ stack, value: [count, ns] }) => {
      left.frames -= stack.length;
      return new Sample({
        locationId: stack.map(locationOf).reverse(),
        value: [count, 0, ns].map((each) => Math.round(each * factor)),
        label,
      });
    });
  });
}

/**
 * The busy time, of which blocks are a part. Samples of their own, because both are not divided by the same answers: none
 * has blocked time and busy time at once.
 */
function busySamplesOf(
  { recording: { busyTime, processes: ofRecording }, factor, labels }: Part,
  frames: FrameTable,
  textOf: (text: string) => number,
  left: { frames: number },
): Sample[] {
  const processes = new Map(ofRecording.map((process) => [process.id, formatInstance(process)]));
  const byInstance = groupBy(busyTime ? busyPeriodsOfRecording(busyTime) : [], ({ instance }) => instance);
  return [...byInstance].flatMap(([instance, periods]) => {
    const parts = [...groupBy(divideBusyTime(periods), busySampleKey).values()];
    const places = new Map(
      parts.flatMap(([part]) => (part?.culprit ? [[part.culprit.functionName, part.culprit]] : [])),
    );
    return parts.map((same) => {
      const { stack, culprit, request, isInBlock = false } = same[0]!;
      const names = (left.frames > 0 ? stack?.split(';') : undefined) ?? [culprit?.functionName ?? '(no function)'];
      left.frames -= names.length;
      const ms = same.reduce((sum, part) => sum + part.ms, 0);
      const facts = [
        ['process', processes.get(instance) ?? instance],
        ['in_block', String(isInBlock)],
        ...(request === undefined ? [] : [['request', request]]),
        ...labels,
      ] as [key: string, value: string][];
      return new Sample({
        locationId: names.map((name) => frames.idOf(name, places.get(name))).reverse(),
        value: [0, Math.round(ms * NANOSECONDS_PER_MS * factor), 0],
        label: facts.map(([key, value]) => new Label({ key: textOf(key), str: textOf(value) })),
      });
    });
  });
}

function busySampleKey({ request, culprit, stack, isInBlock }: BusyPart): string {
  return JSON.stringify([request, functionKey(culprit), culprit?.lineNumber, stack, isInBlock]);
}

function withoutProfile({ profile: _profile, ...block }: Block): Block {
  return block;
}

/** Locations and functions of the profile, each once. */
class FrameTable {
  readonly locations: Location[] = [];
  readonly functions: PprofFunction[] = [];
  readonly #locationIds = new Map<string, number>();
  readonly #functionIds = new Map<string, number>();

  constructor(private readonly textOf: (text: string) => number) {}

  /** Id of the location. */
  idOf(name: string, place: FramePlace | undefined): number {
    const key = JSON.stringify([name, place]);
    const known = this.#locationIds.get(key);
    if (known !== undefined) return known;
    const id = this.locations.length + 1;
    const line = new Line({
      functionId: this.#functionIdOf(name, place?.filePath ?? ''),
      line: place?.lineNumber ?? 0,
      column: place?.columnNumber ?? 0,
    });
    this.locations.push(new Location({ id, mappingId: MAPPING_ID, line: [line] }));
    this.#locationIds.set(key, id);
    return id;
  }

  #functionIdOf(name: string, filePath: string): number {
    const key = JSON.stringify([name, filePath]);
    const known = this.#functionIds.get(key);
    if (known !== undefined) return known;
    const id = this.functions.length + 1;
    // Without a system name: pprof would take a name that equals it for a mangled one, and cut it.
    this.functions.push(new PprofFunction({ id, name: this.textOf(name), filename: this.textOf(filePath) }));
    this.#functionIds.set(key, id);
    return id;
  }
}

/**
 * The block's stacks with [blocks, ns]. Nanoseconds add up to its duration, and the block is counted once, at the stack
 * with most of its time: values of pprof are integers.
 */
function valuesOf(block: Block): { stack: string[]; value: [number, number] }[] {
  const stacks = markedStacks(block);
  const longest = stacks.reduce((a, b) => (b[1] > a[1] ? b : a));
  let reachedMs = 0;
  let reachedNs = 0;
  return stacks.map((item) => {
    const [stack, ms] = item;
    reachedMs += ms;
    const ns = Math.round(reachedMs * NANOSECONDS_PER_MS) - reachedNs;
    reachedNs += ns;
    return { stack, value: [item === longest ? 1 : 0, ns] };
  });
}

function labelsOf(block: Block, process: string): [key: string, value: string][] {
  return [
    ['cause', block.cause],
    ['process', process],
    ['thread', block.threadName],
    ['stack_quality', block.stackQuality],
    ...(block.request === undefined ? [] : [['request', block.request] satisfies [string, string]]),
    ...(block.traceId === undefined ? [] : [['trace_id', block.traceId] satisfies [string, string]]),
  ];
}

function commentsOf({ loopwatchVersion, command, programVersion, vcs }: ProfiledRecording): string[] {
  return [
    `loopwatch ${loopwatchVersion}`,
    `command: ${command.join(' ')}`,
    ...(programVersion === undefined ? [] : [`version: ${programVersion}`]),
    ...(vcs?.revision === undefined ? [] : [`commit: ${vcs.revision}`]),
  ];
}
