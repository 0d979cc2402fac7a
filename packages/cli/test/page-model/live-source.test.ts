import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';

import type { PageState } from '../../src/model/live/page.js';
import { liveSource } from '../../src/page/data/live-source.js';
import { makeBlock } from '../support/records.js';

/** The stream of a browser, whose events the test makes. */
class FakeEventSource {
  static readonly CLOSED = 2;
  static readonly opened: FakeEventSource[] = [];
  readyState = 1;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onerror?: () => void;
  constructor() {
    FakeEventSource.opened.push(this);
  }
  addEventListener(): void {
    // The end of the server is not part of these tests.
  }
  close(): void {
    this.readyState = FakeEventSource.CLOSED;
  }
}

const NOW_MS = 1_795_000_000_000;
const HOUR_MS = 3_600_000;
const update = (id: string): { data: string } => ({
  data: JSON.stringify({
    ...{ removedBlocks: [], lag: [], instances: [], seen: [], threads: [], droppedBlocks: 0, remarks: [] },
    blocks: [makeBlock({ id, startMs: NOW_MS })],
  }),
});

let answers: { ok: boolean; state?: object }[];
let states: PageState[];
let connections: string[];
let close: () => void;

beforeEach(() => {
  jest.useFakeTimers({ now: NOW_MS });
  FakeEventSource.opened.length = 0;
  [answers, states, connections] = [[], [], []];
  Object.assign(globalThis, {
    EventSource: FakeEventSource,
    fetch: () => {
      const { ok, state } = answers.shift() ?? { ok: false };
      return Promise.resolve({ ok, json: () => Promise.resolve(state) });
    },
  });
  close = liveSource().subscribe(
    (state) => states.push(state),
    (connection) => connections.push(connection),
  );
});

afterEach(() => {
  close();
  jest.useRealTimers();
});

const stateWith = (...ids: string[]): { ok: true; state: object } => ({
  ok: true,
  state: {
    ...{ lag: [], instances: [], seen: [], threads: [], retentionMs: HOUR_MS, maxBlocks: 100, serverMs: NOW_MS },
    blocks: ids.map((id) => makeBlock({ id, startMs: NOW_MS - 1_000 })),
  },
});
const shown = (): string[] => states.at(-1)?.blocks.map(({ id }) => id) ?? [];

test('The page asks again for a state that the server has refused', async () => {
  answers = [{ ok: false }, stateWith('a')];
  FakeEventSource.opened[0]!.onopen?.();
  await jest.advanceTimersByTimeAsync(10_000);
  expect([shown(), connections]).toEqual([['a'], ['live']]);
});

test('The page asks again for a stream that the server has refused', async () => {
  const [first] = FakeEventSource.opened;
  first!.close();
  first!.onerror?.();
  await jest.advanceTimersByTimeAsync(10_000);
  answers = [stateWith('a')];
  FakeEventSource.opened[1]!.onopen?.();
  await jest.advanceTimersByTimeAsync(0);
  expect([shown(), connections]).toEqual([['a'], ['lost', 'live']]);
});

test('The page applies no update of an earlier stream to the state of a later one', async () => {
  const [stream] = FakeEventSource.opened;
  stream!.onopen?.();
  stream!.onmessage?.(update('old'));
  stream!.onerror?.();
  answers = [stateWith('a')];
  stream!.onopen?.();
  stream!.onmessage?.(update('b'));
  await jest.advanceTimersByTimeAsync(0);
  expect(shown()).toEqual(['a', 'b']);
});

test('Blocks stay on the page of a browser whose clock is wrong', async () => {
  jest.setSystemTime(NOW_MS + 2 * HOUR_MS);
  answers = [stateWith('a')];
  const [stream] = FakeEventSource.opened;
  stream!.onopen?.();
  await jest.advanceTimersByTimeAsync(0);
  stream!.onmessage?.(update('b'));
  expect(shown()).toEqual(['a', 'b']);
});
