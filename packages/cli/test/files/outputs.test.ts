import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { speedscopeOf } from '../../src/cli/files/speedscope.js';
import { createRecording, type Recording } from '../../src/model/recording/recording.js';
import type { Block } from '../../src/model/types.js';
import { makeBlock, makeLag } from '../support/records.js';

const require = createRequire(import.meta.url);
const readJson = (file: string | URL): object => JSON.parse(readFileSync(file, 'utf8')) as object;
const OWN_SCHEMA = readJson(new URL('../../schema/recording.schema.json', import.meta.url));
const SPEEDSCOPE_SCHEMA = readJson(require.resolve('speedscope/dist/release/file-format-schema.json'));

const { culprit: _culprit, ...nameless } = makeBlock({
  id: 'b3',
  startMs: 500,
  cause: 'unknown',
  stackQuality: 'none',
});
const RECORDING: Recording = createRecording({
  loopwatchVersion: '1.2.3',
  command: ['node', 'app.js'],
  directory: '/app',
  startedMs: 0,
  durationMs: 5_000,
  thresholdMs: 100,
  exit: { code: 0 },
  processes: [{ id: 'i1', service: 'app.js', label: 'pid 1', pid: 1, command: 'node app.js' }],
  blocks: [
    makeBlock({ id: 'b1', profile: 'outer;slow 150\nouter 50', stackTrace: '    at slow (/app/src/slow.js:3:5)' }),
    makeBlock({
      id: 'b4',
      startMs: 8_000,
      stackQuality: 'post_native',
      runQueueMs: 100,
      threadId: 9,
      threadName: 'native',
    }),
    makeBlock({ id: 'b2', startMs: 3_000, threadName: 'pool', threadId: 4, pending: ['Socket×1'], request: 'GET /' }),
    nameless,
  ],
  droppedBlocks: 0,
  lagPoints: [makeLag({ maxMs: 200 })],
  sources: { '/app/src/slow.js': { '3': 'slow();' } },
});

describe('the JSON of --json', () => {
  const validate = new Ajv2020({ strict: true }).compile(OWN_SCHEMA);

  test('has each field of a block in its schema', () => {
    // The compiler knows of a further one.
    const fields: Readonly<Record<keyof Block, true>> = {
      id: true,
      instance: true,
      startMs: true,
      durationMs: true,
      excludedMs: true,
      ended: true,
      cause: true,
      because: true,
      culprit: true,
      definedAt: true,
      definedAtColumn: true,
      stackTrace: true,
      stackQuality: true,
      sampleCount: true,
      profile: true,
      lines: true,
      cpuMs: true,
      gcMs: true,
      runQueueMs: true,
      asyncResource: true,
      request: true,
      suppressedCount: true,
      pending: true,
      childProcesses: true,
      answerAgeMs: true,
      threadId: true,
      threadName: true,
      traceId: true,
      spanId: true,
      parentSpanId: true,
      victimCount: true,
      victimWaitMs: true,
      victimSummary: true,
    };
    const { $defs } = OWN_SCHEMA as { $defs: { block: { properties: object } } };
    expect(Object.keys($defs.block.properties)).toEqual(expect.arrayContaining(Object.keys(fields)));
  });

  test('matches its schema', () => {
    expect(validate(RECORDING)).toBe(true);
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['another version', { ...RECORDING, schemaVersion: 2 }],
    ['a missing field', { ...RECORDING, blocks: undefined }],
    ['a reason that is no text', { ...RECORDING, blocks: [{ ...makeBlock(), because: 5 }] }],
    ['child processes that are no list', { ...RECORDING, blocks: [{ ...makeBlock(), childProcesses: 5 }] }],
    [
      'requests that are no list',
      {
        ...RECORDING,
        threadPool: [{ instance: '7', startMs: 0, durationMs: 1, holders: [], queued: [], requests: 5 }],
      },
    ],
    ['an unknown cause', { ...RECORDING, blocks: [{ ...makeBlock(), cause: 'magic' }] }],
  ])('is not valid with %s', (_what, recording) => {
    expect(validate(JSON.parse(JSON.stringify(recording)))).toBe(false);
  });

  test('contains the blocks in the order of their start', () => {
    expect(RECORDING.blocks.map(({ id }) => id)).toEqual(['b3', 'b1', 'b2', 'b4']);
  });
});

describe('the profile of --speedscope', () => {
  const file = speedscopeOf(RECORDING);

  test("matches speedscope's schema", () => {
    const { $schema: _olderDraft, ...schema } = SPEEDSCOPE_SCHEMA as Record<string, unknown>;
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect(validate(JSON.parse(JSON.stringify(file)))).toBe(true);
  });

  test('has a profile for each thread, as long as the sum of its blocks', () => {
    expect(file.profiles.map(({ name, endValue }) => [name, Math.round(endValue)])).toEqual([
      ['app.js pid 1, thread main', 400],
      ['app.js pid 1, thread pool', 200],
      ['app.js pid 1, thread native', 200],
    ]);
  });

  test('marks a function that is a guess, and not where it is sure', () => {
    const framesOf = (thread: string): string[][] =>
      file.profiles
        .find(({ name }) => name.endsWith(thread))!
        .samples.map((sample) => sample.map((index) => file.shared.frames[index]!.name));
    expect(framesOf('native')).toEqual([['≈ slow']]);
    expect(framesOf('pool')).toEqual([['slow']]);
  });

  test('contains the places of frames that a stack trace names', () => {
    expect(file.shared.frames).toContainEqual({ name: 'slow', file: '/app/src/slow.js', line: 3, col: 5 });
  });
});
