import { gunzipSync } from 'node:zlib';

import { describe, expect, test } from '@jest/globals';
import { Profile } from 'pprof-format';

import { pprofOf, pprofOfDifference } from '../../src/cli/files/pprof.js';
import { createRecording, type Recording } from '../../src/model/recording/recording.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock, makeBusyPeriod } from '../support/records.js';

const STARTED_MS = 1_763_800_000_123;

function makeRecording(blocks: Block[]): Recording {
  return createRecording({
    loopwatchVersion: '1.2.3',
    programVersion: '4.5.6',
    command: ['node', 'app.js'],
    directory: '/app',
    startedMs: STARTED_MS,
    durationMs: 90_000,
    thresholdMs: 100,
    exit: { code: 0 },
    processes: [{ id: 'i1', service: 'app.js', label: 'pid 1' }],
    blocks,
    droppedBlocks: 0,
    lagPoints: [],
    sources: {},
  });
}

interface DecodedFrame {
  name: string;
  file: string;
  line: number;
}

interface Decoded {
  profile: Profile;
  textOf: (index: number | bigint) => string;
  samples: { blocks: number; ns: number; labels: Record<string, string>; frames: DecodedFrame[] }[];
}

/** The profile of the blocks, encoded and decoded; frames from the leaf. */
async function decoded(...blocks: Block[]): Promise<Decoded> {
  const profile = Profile.decode(gunzipSync(await pprofOf(makeRecording(blocks))));
  const textOf = (index: number | bigint): string => profile.stringTable.strings[Number(index)]!;
  const frameOf = (id: number | bigint): DecodedFrame => {
    const [line] = profile.location.find((location) => location.id === id)!.line;
    const { name, filename } = profile.function.find((candidate) => candidate.id === line!.functionId)!;
    return { name: textOf(name), file: textOf(filename), line: Number(line!.line) };
  };
  const samples = profile.sample.map(({ value, label, locationId }) => ({
    blocks: Number(value[0]),
    ns: Number(value.at(-1)),
    labels: Object.fromEntries(label.map(({ key, str }) => [textOf(key), textOf(str)])),
    frames: locationId.map(frameOf),
  }));
  return { profile, textOf, samples };
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

describe('the profile of --pprof', () => {
  test('has the blocked time in nanoseconds as its default, beside the number of blocks', async () => {
    const { profile, textOf } = await decoded(makeBlock());
    expect(profile.sampleType.map(({ type, unit }) => [textOf(type), textOf(unit)])).toEqual([
      ['blocks', 'count'],
      ['busy', 'nanoseconds'],
      ['blocked', 'nanoseconds'],
    ]);
    expect(textOf(profile.defaultSampleType)).toBe('blocked');
  });

  test('adds up to the blocked time and to the number of blocks', async () => {
    const { samples } = await decoded(
      makeBlock({ id: 'b1', durationMs: 333.333, profile: 'a 1\na;b 1\na;c 1' }),
      // More nanoseconds than 32 bits hold.
      makeBlock({ id: 'b2', durationMs: 65_432.109, profile: 'a;b 60000\na;d 7' }),
      makeBlock({ id: 'b3', durationMs: 200.001 }),
    );
    expect(samples).toHaveLength(6);
    expect(sum(samples.map(({ ns }) => ns))).toBe(333_333_000 + 65_432_109_000 + 200_001_000);
    expect(samples.map(({ blocks }) => blocks)).toEqual([1, 0, 0, 1, 0, 1]);
  });

  test('has the stack from the leaf, with the file and line that the stack trace names', async () => {
    const { samples } = await decoded(
      makeBlock({ profile: 'main;slow 200', stackTrace: '    at slow (/app/src/slow.js:3:5)' }),
    );
    expect(samples[0]!.frames).toEqual([
      { name: 'slow', file: '/app/src/slow.js', line: 3 },
      { name: 'main', file: '', line: 0 },
    ]);
  });

  test("takes the place of a function from the block's own stack trace, else from another block's", async () => {
    const { samples } = await decoded(
      makeBlock({ id: 'b1', profile: 'run 200', stackTrace: '    at run (/app/first.js:1:1)' }),
      makeBlock({
        id: 'b2',
        profile: 'run 200',
        stackTrace: '    at run (/app/second.js:2:1)\n    at main (/app/m.js:9:1)',
      }),
      makeBlock({ id: 'b3', profile: 'main 200' }),
    );
    expect(samples.map(({ frames }) => frames[0]!.file)).toEqual(['/app/first.js', '/app/second.js', '/app/m.js']);
  });

  test('labels each sample with what is known of its block', async () => {
    const { samples } = await decoded(
      makeBlock({ id: 'b1', cause: 'gc', request: 'GET /users', traceId: 'a'.repeat(32), profile: 'a 1\nb 1' }),
      makeBlock({ id: 'b2', threadName: 'pool', instance: 'i2' }),
    );
    const known = {
      cause: 'gc',
      process: 'app.js pid 1',
      thread: 'main',
      stack_quality: 'live',
      request: 'GET /users',
      trace_id: 'a'.repeat(32),
    };
    expect(samples.map(({ labels }) => labels)).toEqual([
      known,
      known,
      { cause: 'javascript', process: 'i2', thread: 'pool', stack_quality: 'live' },
    ]);
  });

  test('marks a function that is a guess, and not where it is sure', async () => {
    const stackTrace = '    at slow (/app/src/slow.js:3:5)';
    const { samples } = await decoded(
      makeBlock({ id: 'b1', stackQuality: 'post_native', profile: 'main;slow 200', stackTrace }),
      makeBlock({ id: 'b2', profile: 'main;slow 200', stackTrace }),
    );
    const place = { file: '/app/src/slow.js', line: 3 };
    expect(samples.map(({ frames }) => frames[0])).toEqual([
      { name: '≈ slow', ...place },
      { name: 'slow', ...place },
    ]);
    expect(samples[0]!.labels).toMatchObject({ stack_quality: 'post_native' });
  });

  test('shows a block without a stack as its cause', async () => {
    const { culprit: _culprit, ...nameless } = makeBlock({ cause: 'gc', stackQuality: 'none' });
    const { samples } = await decoded(nameless);
    expect(samples[0]!.frames).toEqual([{ name: '(gc)', file: '', line: 0 }]);
  });

  test('contains each function and place once', async () => {
    const { profile } = await decoded(
      makeBlock({ id: 'b1', profile: 'main;a 1\nmain;b 1' }),
      makeBlock({ id: 'b2', profile: 'main;b;main 1' }),
    );
    expect([profile.location.length, profile.function.length]).toEqual([3, 3]);
  });

  test('says when the run started, how long it took, and what ran', async () => {
    const { profile, textOf } = await decoded(makeBlock());
    expect([BigInt(profile.timeNanos), Number(profile.durationNanos)]).toEqual([
      BigInt(STARTED_MS) * 1_000_000n,
      90_000_000_000,
    ]);
    expect(profile.comment.map(textOf)).toEqual(['loopwatch 1.2.3', 'command: node app.js', 'version: 4.5.6']);
  });

  test('can be read if nothing has blocked', async () => {
    const { samples } = await decoded();
    expect(samples).toEqual([]);
  });
});

test('Busy time is a sample type of its own, by process, request, function and stack, with the time in blocks apart', async () => {
  const culprit = { functionName: 'parse', filePath: '/app/src/parse.ts', lineNumber: 12, columnNumber: 3 };
  const answers = [
    { request: 'GET /', culprit, stack: 'listener;parse', weight: 3 },
    { request: 'GET /', culprit, stack: 'listener;parse', weight: 1, isInBlock: true as const },
    { weight: 1 },
  ];
  const { lag, ...recording } = makeRecording([makeBlock()]);
  const busyPeriods = [
    makeBusyPeriod({ busyMs: 500, answers }),
    makeBusyPeriod({ startMs: 1000, busyMs: 500, answers }),
  ];
  const bytes = await pprofOf(createRecording({ ...recording, lagPoints: lag.points, busyPeriods }));
  const { sample, stringTable, location, function: functions } = Profile.decode(gunzipSync(bytes));
  const textOf = (index: number | bigint): string => stringTable.strings[Number(index)]!;
  const busy = sample.filter(({ value }) => Number(value[1]) > 0);
  expect(sample.length - busy.length).toBe(1);
  expect(
    busy.map(({ value, label }) => [value.map(Number), label.map(({ key, str }) => `${textOf(key)} ${textOf(str)}`)]),
  ).toEqual([
    [
      [0, 600e6, 0],
      ['process app.js pid 1', 'in_block false', 'request GET /'],
    ],
    [
      [0, 200e6, 0],
      ['process app.js pid 1', 'in_block true', 'request GET /'],
    ],
    [
      [0, 200e6, 0],
      ['process app.js pid 1', 'in_block false'],
    ],
  ]);
  const [leaf] = location.find(({ id }) => id === busy[0]!.locationId[0])!.line;
  const { name, filename } = functions.find(({ id }) => id === leaf!.functionId)!;
  expect([textOf(name), textOf(filename), Number(leaf!.line)]).toEqual(['parse', '/app/src/parse.ts', 12]);
});

/** The decoder takes a negative number for one of 64 bits without a sign. */
const signed = (value: number | bigint): number => Number(BigInt.asIntN(64, BigInt(value)));

test('the difference of two builds counts base negative, as often as head was run', async () => {
  const run = (durationMs: number): Recording => makeRecording([makeBlock({ durationMs })]);
  const bytes = await pprofOfDifference([run(300), run(500), run(400), run(400)], [run(100), run(200)]);
  const { sample, stringTable } = Profile.decode(gunzipSync(bytes));
  const totals = new Map<string, [blocks: number, ms: number]>();
  for (const { value, label } of sample) {
    const build = label.find(({ key }) => stringTable.strings[Number(key)] === 'build')!;
    const name = stringTable.strings[Number(build.str)]!;
    const [blocks, ms] = totals.get(name) ?? [0, 0];
    totals.set(name, [blocks + signed(value[0]!), ms + signed(value.at(-1)!) / 1e6]);
  }
  // 1,600 ms in four runs are 800 ms in two. Half a block is rounded.
  expect(totals.get('head')).toEqual([2, 300]);
  expect(totals.get('base')![1]).toBe(-800);
});
