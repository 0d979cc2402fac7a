import { describe, expect, test } from '@jest/globals';

import { createTaskQueue } from '../../src/preload/attach/task-queue.js';

const NEVER_MS = 1_000_000;

describe('a queue of tasks', () => {
  test('starts no task before the one before it is done, and none at once', async () => {
    const add = createTaskQueue(NEVER_MS);
    const events: string[] = [];
    await new Promise<void>((resolve) => {
      for (const name of ['a', 'b', 'c']) {
        add((done) => {
          events.push(`${name} starts`);
          setTimeout(() => {
            events.push(`${name} ends`);
            done();
            if (name === 'c') resolve();
          }, 1);
        });
      }
      events.push('added');
    });
    expect(events).toEqual(['added', 'a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
  });

  test('starts each task in an iteration of its own', async () => {
    const add = createTaskQueue(NEVER_MS);
    let iterations = 0;
    const startedIn: number[] = [];
    const count = (): void => {
      iterations += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await new Promise<void>((resolve) => {
      for (const isLast of [false, false, true]) {
        add((done) => {
          startedIn.push(iterations);
          done();
          if (isLast) resolve();
        });
      }
    });
    clearImmediate(counting);
    expect(new Set(startedIn).size).toBe(3);
  });

  test('does not wait for a task that is never done', async () => {
    const add = createTaskQueue(5);
    // The timers of the queue keep no process alive.
    const keepAlive = setInterval(() => undefined, 1000);
    let isOver = false;
    let late: () => void = () => undefined;
    add((done) => (late = done));
    await new Promise<void>((resolve) => {
      add(() => {
        resolve();
      });
    });
    // One that is done too late starts nothing a second time.
    add(() => (isOver = true));
    late();
    expect(isOver).toBe(false);
    clearInterval(keepAlive);
  });
});
