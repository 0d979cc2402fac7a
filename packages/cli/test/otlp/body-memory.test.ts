import { expect, test } from '@jest/globals';

import { BodyMemory, type OpenBody } from '../../src/cli/otlp/body-memory.js';

const MIB = 1024 * 1024;

function memoryOf(maxBytes: number) {
  const lost: string[] = [];
  let nowMs = 0;
  const memory = new BodyMemory(maxBytes, () => nowMs);
  const open = (name: string): OpenBody => memory.open(() => lost.push(name));
  return { memory, lost, open, later: (ms: number) => (nowMs += ms) };
}

test('what was announced takes no memory: four senders of one byte leave room for all others', () => {
  const { lost, open, later } = memoryOf(80 * MIB);
  for (const name of ['a', 'b', 'c', 'd']) open(name).take(1);
  later(20_000);
  for (let index = 0; index < 3; index += 1) open(`honest ${index}`).take(20 * MIB);
  expect(lost).toEqual([]);
});

test('the slowest sender gives up its place, and not the one that comes', () => {
  const { memory, lost, open, later } = memoryOf(80 * MIB);
  for (const name of ['a', 'b', 'c']) open(name).take(20 * MIB);
  later(10_000);
  open('slower').take(10 * MIB);
  later(20_000);
  open('honest').take(15 * MIB);
  expect(lost).toEqual(['slower']);
  expect(memory.bytes).toBeLessThanOrEqual(80 * MIB);
});

test('a body that waits to be decoded keeps its place: the one that comes is asked to retry', () => {
  const { memory, lost, open, later } = memoryOf(30 * MIB);
  const waiting = open('waiting');
  waiting.take(20 * MIB);
  waiting.complete();
  later(5_000);
  open('new').take(15 * MIB);
  expect(lost).toEqual(['new']);
  waiting.close();
  waiting.close();
  expect(memory.bytes).toBe(0);
});

test('a connection without a body has a size, too: their number is bounded', () => {
  const { memory, lost, open, later } = memoryOf(10 * MIB);
  for (let index = 0; index < 1_000; index += 1) {
    open(`slow ${index}`);
    later(2_000);
  }
  expect(lost.length).toBeGreaterThan(800);
  expect(memory.bytes).toBeLessThanOrEqual(10 * MIB);
});
