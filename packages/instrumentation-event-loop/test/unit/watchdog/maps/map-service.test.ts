import { appendFileSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { encode } from '@jridgewell/sourcemap-codec';
import { MapMailboxes } from '../../../../src/contract/map-mailboxes.js';
import type { Frame } from '../../../../src/contract/model.js';
import { Registry } from '../../../../src/contract/registry.js';
import { SlotInt } from '../../../../src/contract/registry-layout.js';
import { MapClient } from '../../../../src/monitor/map-client.js';
import { mapStack } from '../../../../src/monitor/source-map.js';
import { MapService } from '../../../../src/watchdog/maps/map-service.js';
import { frame } from '../../support/builders.js';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-maps-'));
  file = path.join(directory, 'app.js');
  const lines = Array.from({ length: 3000 }, () => 'function t(a){return a.find(b)}');
  writeFileSync(file, `${lines.join('\n')}\n//# sourceMappingURL=app.js.map`);
  const mappings = encode(
    lines.map((_, line) => [
      [0, 0, 2 * line, 0],
      [9, 0, 2 * line, 9, 0],
      [21, 0, 2 * line + 1, 2],
    ]),
  );
  writeFileSync(`${file}.map`, JSON.stringify({ version: 3, sources: ['src.ts'], names: ['createSpans'], mappings }));
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function frameAt(lineNumber: number, fileName = file): Frame {
  return frame('t', {
    fileName,
    lineNumber,
    columnNumber: 22,
    functionLineNumber: lineNumber,
    functionColumnNumber: 1,
  });
}

/** A thread and the watchdog, which works when `run` is called. */
function connect(registry = new Registry(), isOn = () => true, perReadingMs = 0) {
  const deferred: (() => void)[] = [];
  let now = 0;
  const mailboxes = new MapMailboxes(registry.buffer);
  const service = new MapService({
    mailboxes,
    isLive: (index, generation) => registry.slot(index).isLive(generation),
    now: () => (now += perReadingMs),
    startedAtMs: Infinity,
    jestCache: undefined,
    defer: (callback) => deferred.push(callback),
  });
  const makeClient = (threadId: number) => {
    const slot = registry.claim(threadId, `thread ${threadId}`)!;
    const generation = slot.getInt(SlotInt.generation);
    const client = new MapClient({ mailboxes, slot, generation, now: () => now, isOn, wakeWatchdog: () => undefined });
    return { client, slot };
  };
  return {
    makeClient,
    service,
    advance: (ms: number) => {
      now += ms;
    },
    run: () => {
      service.look();
      for (let next = deferred.shift(); next; next = deferred.shift()) next();
    },
  };
}

test('a thread gets the source of its frames from the watchdog', () => {
  const { makeClient, run } = connect();
  const { client } = makeClient(0);
  const stack = [frameAt(3), frameAt(5)];
  client.ask(stack);
  expect(client.isWaiting()).toBe(true);
  expect(mapStack(stack)[0]).toEqual(stack[0]);
  run();
  expect(client.isWaiting()).toBe(false);
  const place = { functionName: 'createSpans', fileName: path.join(directory, 'src.ts') };
  expect(mapStack(stack)).toMatchObject([
    { ...place, lineNumber: 6, functionLineNumber: 5 },
    { ...place, lineNumber: 10, functionLineNumber: 9 },
  ]);
});

test('a frame is asked for once, and not at all where it is of a package, of Node or of a URL', () => {
  const { makeClient, run } = connect();
  const { client } = makeClient(0);
  client.ask(
    [`${directory}/node_modules/a/b.js`, 'node:fs', '', 'https://example.com/a.js', 'evalmachine.<anonymous>'].map(
      (fileName) => frameAt(1, fileName),
    ),
  );
  expect(client.isWaiting()).toBe(false);
  const asked = frameAt(7);
  client.ask([asked]);
  run();
  client.ask([asked]);
  expect(client.isWaiting()).toBe(false);
});

test('a deep stack of many lines is asked for in several questions', () => {
  const { makeClient, run } = connect();
  const { client } = makeClient(0);
  const stack = Array.from({ length: 1000 }, (_, i) => frameAt(i + 1));
  client.ask(stack);
  for (let i = 0; client.isWaiting() && i < 50; i++) run();
  expect(mapStack(stack).map(({ lineNumber }) => lineNumber)).toEqual(stack.map((_, i) => 2 * i + 2));
});

test('code that may be compiled is marked where its file cannot be read', () => {
  const { makeClient, run } = connect();
  const { client } = makeClient(0);
  const missing = path.join(directory, 'missing.ts');
  const stack = [{ ...frameAt(3, missing), scriptHash: 'f'.repeat(64) }, frameAt(4, missing)];
  client.ask(stack);
  run();
  client.ask([]);
  expect(mapStack(stack).map(({ isCompiled }) => isCompiled)).toEqual([true, undefined]);
});

test('a thread without an answer waits for a limited time', () => {
  const { makeClient, advance } = connect();
  const { client } = makeClient(0);
  client.ask([frameAt(9)]);
  expect(client.isWaiting()).toBe(true);
  advance(1000);
  expect(client.isWaiting()).toBe(false);
});

test('a report waits from when it is due on, however long the block was that asked', () => {
  const { makeClient, advance, run } = connect();
  const { client } = makeClient(0);
  client.ask([frameAt(15)]);
  advance(5000);
  expect(client.isWaiting()).toBe(true);
  advance(1000);
  expect(client.isWaiting()).toBe(false);
  run();
  client.ask([]);
  client.ask([frameAt(17)]);
  expect(client.isWaiting()).toBe(true);
});

test('a thread does not wait without a watchdog', () => {
  let isOn = true;
  const { makeClient } = connect(new Registry(), () => isOn);
  const { client } = makeClient(0);
  client.ask([frameAt(11)]);
  isOn = false;
  expect(client.isWaiting()).toBe(false);
});

test('a file that is too large to be kept is read again for later blocks, and not at once', () => {
  const large = path.join(directory, 'large.js');
  copyFileSync(file, large);
  appendFileSync(large, `\n${' '.repeat(9 * 1024 * 1024)}\n//# sourceMappingURL=app.js.map`);
  const { makeClient, advance, run } = connect(undefined, undefined, 1);
  const { client } = makeClient(0);
  const nameAfter = (asked: Frame): string => {
    client.ask([asked]);
    run();
    expect(client.isWaiting()).toBe(false);
    return mapStack([asked])[0]!.functionName;
  };
  const second = frameAt(5, large);
  expect([nameAfter(frameAt(3, large)), nameAfter(second)]).toEqual(['createSpans', 't']);
  advance(100_000);
  expect(nameAfter(second)).toBe('createSpans');
});

test('threads that have ended leave no mailbox taken', () => {
  const registry = new Registry();
  const { makeClient, run } = connect(registry);
  for (let threadId = 1; threadId <= 40; threadId++) {
    const { client, slot } = makeClient(threadId);
    client.ask([frameAt(100 + threadId)]);
    registry.release(slot, threadId);
    run();
  }
  const { client } = makeClient(0);
  const stack = [frameAt(99)];
  client.ask(stack);
  run();
  expect(client.isWaiting()).toBe(false);
  expect(mapStack(stack)[0]).toMatchObject({ functionName: 'createSpans' });
});

test('names that a question cannot contain keep their position', () => {
  const { makeClient, run } = connect();
  const { client } = makeClient(0);
  const stack = [frame('a\u001Eb', { fileName: file, lineNumber: 3, columnNumber: 22 }), frameAt(13)];
  client.ask(stack);
  run();
  client.isWaiting();
  expect(mapStack(stack)).toMatchObject([{ functionName: 'a\u001Eb' }, { functionName: 'createSpans' }]);
});
