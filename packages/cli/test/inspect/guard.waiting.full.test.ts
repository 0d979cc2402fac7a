import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from '@jest/globals';
import { nodeBinary } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import { enterExpression, leaveExpression } from '../../src/cli/inspect/inspector/inspector-use.js';

test.concurrent.each(sampledMajors(20, 26))(
  'a process on Node.js %d to which a killed loopwatch attached closes the inspector',
  async (major) => {
    // The guard keeps no process alive. It runs after 10 s.
    const program = `${enterExpression({ onlyOpened: false })}; setTimeout(() => {
      console.log(String(require('node:inspector').url()));
    }, 11_000)`;
    const child = spawn(nodeBinary(major), ['--inspect=0', '-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, output]).toEqual([0, 'undefined\n']);
  },
);

/** Runs a program whose inspector is open, and returns whether it is, 700 ms after each of the expressions. */
async function isOpenAfter(...expressions: readonly string[]): Promise<boolean[]> {
  return isOpenAfterIn('', ...expressions);
}

/** As `isOpenAfter`, where the program does this first. */
async function isOpenAfterIn(prelude: string, ...expressions: readonly string[]): Promise<boolean[]> {
  const steps = expressions.map((expression) => `() => ${expression}`).join(',');
  const program = `${prelude}; (async () => {
    for (const step of [${steps}]) {
      step();
      await new Promise((resolve) => setTimeout(resolve, 700));
      console.log(require('node:inspector').url() !== undefined);
    }
  })()`;
  const child = spawn(nodeBinary(), ['--inspect=0', '-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return output
    .trim()
    .split('\n')
    .map((line) => line === 'true');
}

const first = enterExpression({ onlyOpened: false });
const next = enterExpression({ onlyOpened: true });
const leave = leaveExpression({ onlyOpened: false });
const leaveOpened = leaveExpression({ onlyOpened: true });

test.concurrent('the inspector is closed when the last of the sessions that use it has left', async () => {
  await expect(isOpenAfter(first, next, leave, leaveOpened)).resolves.toEqual([true, true, true, false]);
});

const replaceTimers = `{
  const timers = require('node:timers');
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) timers[name] = () => ({ unref() {} });
  timers.clearTimeout = () => {};
}`;

test.concurrent('the inspector of a program that has replaced the timers of Node.js is closed', async () => {
  const inBetween = `{ ${next}; ${replaceTimers}; ${leaveOpened}; }`;
  await expect(isOpenAfterIn(replaceTimers, first, next, leave, leaveOpened)).resolves.toEqual([
    true,
    true,
    true,
    false,
  ]);
  await expect(isOpenAfter(first, inBetween, leave)).resolves.toEqual([true, true, false]);
});

/** By what a program may have replaced `unref` of its timers. */
const replaceUnref = (body: string): string =>
  `Object.getPrototypeOf(setTimeout(() => {}, 1)).unref = function () { ${body} }`;

test.concurrent('the inspector of a program that has replaced unref of its timers is closed', async () => {
  for (const body of ['throw new Error()', 'return this']) {
    await expect(isOpenAfterIn(replaceUnref(body), first, leave)).resolves.toEqual([true, false]);
  }
});

test.concurrent(
  'an inspector that is to be closed after 10 s keeps no program alive that has replaced unref of its timers',
  async () => {
    const startedAt = performance.now();
    await expect(isOpenAfterIn(replaceUnref('return this'), first)).resolves.toEqual([true]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },
);

test.concurrent('a session that comes while the inspector is to be closed keeps it open until it leaves', async () => {
  await expect(isOpenAfter(`{ ${first}; ${leave}; ${next}; }`, leaveOpened)).resolves.toEqual([true, false]);
});

test.concurrent('an inspector that another has opened is not closed', async () => {
  await expect(isOpenAfter(next, leaveOpened)).resolves.toEqual([true, true]);
});
