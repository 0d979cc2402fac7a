import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nodeBinary, nodeMajors, workspaceNodeMajor, type NodeMajor } from '@loopwatch/node-binaries';

import { ENV_RUN_DIRECTORY } from '../../src/channel/contract.js';
import { createChannel } from '../../src/channel/reader.js';
import { fixture } from '../support/cli.js';

/*
 * Programs that replace, break, freeze or delete what JavaScript and Node.js give them end as without Loopwatch: with the
 * same exit code or signal, and the same output. Blocks may be lost.
 */

const PROGRAM = fixture('hostile-built-ins.cjs');
const require = createRequire(import.meta.url);
const { acts } = require(PROGRAM) as { readonly acts: readonly string[] };
const MOMENTS = ['early', 'late'] as const;
const isInnerTier = process.env.LOOPWATCH_TEST_TIER === 'inner';

/** What changed exit codes in the second release, one of each kind. */
const INNER = ['none', 'publishers', 'emitters', 'frozenProcess', 'deletedMethods', 'iterators', 'thenOfPromise'];
/**
 * Open: Node.js calls these for objects of ours, in callbacks of its own, and the program's error then ends the process: the
 * iterator of its observers of garbage collections, and `dispatchEvent` of a port of the watchdog thread.
 */
const OPEN = ['SetIterator.throws', 'EventTarget.throws'];
const programs = (isInnerTier ? INNER : acts.filter((act) => !OPEN.includes(act))).flatMap((act) =>
  MOMENTS.map((moment) => ({ act, moment })),
);
const majors: readonly NodeMajor[] = isInnerTier ? [workspaceNodeMajor] : nodeMajors;
/** The programs mostly wait. */
const CONCURRENCY = 6;
const KILL_AFTER_MS = 30_000;

interface Program {
  readonly act: string;
  readonly moment: (typeof MOMENTS)[number];
}

interface Way {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'loopwatch-hostile-'));
  await createChannel(directory, { thresholdMs: 20, countsStartUp: false, withArguments: false });
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Each way with the same way without Loopwatch: with `--import`, Node.js loads the program by other code. */
const WAYS: Readonly<Record<string, () => { readonly watched: Way; readonly alone: Way }>> = {
  'under `loopwatch run`': () => ({
    watched: {
      env: { NODE_OPTIONS: `--require ${fixture('../../dist/preload.cjs')}`, [ENV_RUN_DIRECTORY]: directory },
    },
    alone: {},
  }),
  'with `/register`': () => ({
    watched: {
      flags: ['--import', import.meta.resolve('@loopwatch/instrumentation-event-loop/register')],
      // No SDK is installed here, which is said once.
      env: { LOOPWATCH_BLOCKED_THRESHOLD_MS: '20', LOOPWATCH_HANG_THRESHOLD_MS: '0', LOOPWATCH_NOTICED: '1' },
    },
    alone: { flags: ['--import', 'data:text/javascript,'] },
  }),
  'with the instrumentation in code': () => ({
    watched: { flags: ['--require', fixture('instrument-in-code.cjs')] },
    alone: {},
  }),
};

function run(major: NodeMajor, { act, moment }: Program, { flags = [], env = {} }: Way): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(nodeBinary(major), [...flags, PROGRAM, act, moment], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr: stderr.replaceAll(/\(node:\d+\)/g, '(node:PID)') });
    });
  });
}

/**
 * What must be equal. Of a program that ends with an error by itself, stderr has the stack, in which a wrapper of ours may
 * stand, and stdout how far it came: its first error depends on which of Node's callbacks comes first.
 */
function ending({ code, signal, stdout, stderr }: Outcome): unknown {
  return code === 0 ? { code, stdout, stderr } : { code, signal };
}

async function mapConcurrently<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const queue = items.entries();
  const results: R[] = [];
  const work = async (): Promise<void> => {
    for (const [i, item] of queue) results[i] = await map(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

describe.each(majors)('On Node.js %d', (major) => {
  test.each(Object.entries(WAYS))(
    'hostile programs end as alone, %s',
    async (_way, setUp) => {
      const { watched, alone } = setUp();
      const differences = await mapConcurrently(programs, async (program) => {
        // Once more: the order of two lines may depend on the machine's load.
        for (let triesLeft = 3; ; triesLeft -= 1) {
          const [expected, got] = [
            ending(await run(major, program, alone)),
            ending(await run(major, program, watched)),
          ];
          if (JSON.stringify(expected) === JSON.stringify(got)) return [];
          if (triesLeft === 1) return [{ ...program, expected, got }];
        }
      });
      expect(differences.flat()).toEqual([]);
    },
    20 * 60_000,
  );
});

test('there are at least forty hostile programs', () => {
  expect(acts.length).toBeGreaterThanOrEqual(40);
});
