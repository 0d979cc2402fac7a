import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, test } from '@jest/globals';
import { nodeBinary, type NodeMajor } from '@loopwatch/node-binaries';
import { sampledMajors } from '@loopwatch/test-support';

import { connectInspector, type InspectorClient, NoAnswer } from '../../src/cli/inspect/inspector/inspector-client.js';
import { evaluation, parseSnapshot, snapshotExpression } from '../../src/cli/inspect/inspector/snapshot.js';
import { mainThread } from '../../src/cli/inspect/inspector/stop-and-ask.js';
import { fixture } from '../support/cli.js';

const COMPUTES_MS = 3000;
const TIMEOUT_MS = 200;

/** An inspector of a V8 that evaluates nothing in an interrupt: it says nothing, or that it refuses. */
const nextV8 = {
  silent: () => Promise.reject(new NoAnswer('no answer')),
  refuses: () => Promise.reject(new Error('JavaScript execution is forbidden')),
};

/** The program of the test, which would keep Jest waiting where the test fails. */
let program: ChildProcess | undefined;

/** The innermost one: it reads a clock, which is a function of Node.js. */
function functionOfProgram(snapshot: ReturnType<typeof parseSnapshot>): string | undefined {
  return snapshot?.frames.find(({ filePath }) => filePath.endsWith('computes-at-stops.cjs'))?.functionName;
}

afterEach(() => {
  program?.kill('SIGKILL');
});

describe('a thread that evaluates nothing in an interrupt', () => {
  test.each(sampledMajors(22, 24))('is stopped for its stack, and goes on, on Node.js %d', async (major) => {
    const { asked, nodeVersion, ended, sent } = await start(major, nextV8.silent);
    const parameters = evaluation(snapshotExpression({ readsResource: false }), nodeVersion);
    for (let i = 0; i < 2; i++) {
      const snapshot = parseSnapshot(await asked.evaluate(parameters));
      expect(functionOfProgram(snapshot)).toBe('computeForecast');
    }
    expect(asked.isStopped).toBe(true);
    expect(sent.filter((method) => method === 'Runtime.evaluate')).toHaveLength(1);
    await expect(ended()).resolves.toEqual({ code: 0, stdout: 'done\n' });
  });

  // Its modules have variables that hide global names.
  test.each(sampledMajors(20, 26))('answers at each stop in a function of Node.js %d itself', async (major) => {
    const { asked, nodeVersion, ended } = await start(major, nextV8.refuses, true, 'computes-in-node.cjs', 8000);
    const parameters = evaluation(snapshotExpression({ readsResource: false }), nodeVersion);
    for (let i = 0; i < 10; i++) {
      const functions = parseSnapshot(await asked.evaluate(parameters))?.frames.map(({ functionName }) => functionName);
      expect(functions).toContain('inspectRows');
    }
    await expect(ended()).resolves.toEqual({ code: 0, stdout: 'done\n' });
  });

  test('is stopped where V8 says that it refuses', async () => {
    const { asked, nodeVersion, ended } = await start(24, nextV8.refuses);
    const answer = await asked.evaluate(evaluation(snapshotExpression({ readsResource: false }), nodeVersion));
    expect(functionOfProgram(parseSnapshot(answer))).toBe('computeForecast');
    await expect(ended()).resolves.toEqual({ code: 0, stdout: 'done\n' });
  });

  test('is not stopped while a debugger may be connected', async () => {
    const { asked, ended, sent } = await start(24, nextV8.silent, false);
    await expect(asked.evaluate({ expression: '1' })).rejects.toThrow(NoAnswer);
    expect(sent).toEqual(['Runtime.evaluate']);
    await ended();
  });
});

test('a thread that answers nothing at all is not stopped', async () => {
  const sent: string[] = [];
  const client = {
    call: (method: string) => {
      sent.push(method);
      return Promise.reject(new NoAnswer('in a native call'));
    },
    on: () => undefined,
    close: () => Promise.resolve(),
  };
  await expect(mainThread(client, TIMEOUT_MS, true).evaluate({})).rejects.toThrow('in a native call');
  expect(sent).toEqual(['Runtime.evaluate', 'Runtime.getHeapUsage']);
});

async function start(
  major: NodeMajor,
  evaluate: () => Promise<never>,
  mayStop = true,
  file = 'computes-at-stops.cjs',
  computesMs = COMPUTES_MS,
) {
  const child = spawn(nodeBinary(major), ['--inspect=127.0.0.1:0', fixture(file), String(computesMs)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  program = child;
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  const exit = once(child, 'exit');
  let stderr = '';
  const url = await new Promise<string>((resolve) => {
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
      const [found] = /ws:\S+(?=\s)/.exec(stderr) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const real = await connectInspector(url);
  const sent: string[] = [];
  let isStopped = false;
  const client: InspectorClient = {
    on: (method, listener) => {
      real.on(method, listener);
    },
    close: () => real.close(),
    call: (method, params, ms) => {
      if (method === 'Debugger.pause') isStopped = true;
      if (method === 'Debugger.resume') isStopped = false;
      sent.push(isStopped ? `${method} at a stop` : method);
      return method === 'Runtime.evaluate' && !isStopped ? evaluate() : real.call(method, params, ms);
    },
  };
  await sleep(500); // it computes
  return {
    asked: mainThread(client, TIMEOUT_MS, mayStop),
    nodeVersion: `v${major}.20.0`,
    sent,
    ended: async () => {
      await real.close();
      const [code] = (await exit) as [number];
      return { code, stdout };
    },
  };
}
