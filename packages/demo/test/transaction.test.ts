import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

import { beforeEach, expect, test } from '@jest/globals';

import { TransactionQueue, TransactionTimeoutError } from '../src/database/transaction.js';

let connection: DatabaseSync;

beforeEach(() => {
  connection = new DatabaseSync(':memory:');
  connection.exec('CREATE TABLE names (name TEXT)');
});

function storedNames(): unknown[] {
  return connection
    .prepare('SELECT name FROM names ORDER BY rowid')
    .all()
    .map((row) => row['name']);
}

test('a transaction that succeeds is committed and returns its result', async () => {
  const queue = new TransactionQueue(connection, { timeoutMs: 60_000 });
  const result = await queue.run('insert', async (transaction) => {
    transaction.prepare("INSERT INTO names VALUES ('kept')").run();
    await delay(1);
    return 42;
  });
  expect(result).toBe(42);
  expect(storedNames()).toEqual(['kept']);
});

test('a transaction that fails is rolled back and rejects with its own error', async () => {
  const queue = new TransactionQueue(connection, { timeoutMs: 60_000 });
  const failing = queue.run('insert', (transaction) => {
    transaction.prepare("INSERT INTO names VALUES ('lost')").run();
    throw new Error('no such customer');
  });
  await expect(failing).rejects.toThrow('no such customer');
  expect(storedNames()).toEqual([]);
});

test('a transaction that exceeds its timeout is rolled back, and the next one starts clean', async () => {
  const queue = new TransactionQueue(connection, { timeoutMs: 20 });
  const slow = queue.run('slow', async (transaction) => {
    transaction.prepare("INSERT INTO names VALUES ('late')").run();
    await delay(200);
    transaction.prepare("INSERT INTO names VALUES ('later')").run();
  });
  const next = queue.run('next', (transaction) => transaction.prepare("INSERT INTO names VALUES ('next')").run());
  await expect(slow).rejects.toThrow(TransactionTimeoutError);
  await next;
  expect(storedNames()).toEqual(['next']);
});

test('transactions run one after the other, in the order of their calls', async () => {
  const queue = new TransactionQueue(connection, { timeoutMs: 60_000 });
  const insert = connection.prepare('INSERT INTO names VALUES (?)');
  const pauses = [15, 1, 5];
  for (const [index, pauseMs] of pauses.entries()) {
    void queue.run('insert', async () => {
      insert.run(`begin ${index}`);
      await delay(pauseMs);
      insert.run(`end ${index}`);
    });
  }
  await queue.drain();
  expect(storedNames()).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
});
