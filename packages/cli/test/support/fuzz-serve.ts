import { performance } from 'node:perf_hooks';

import { expect } from '@jest/globals';
import fc from 'fast-check';

import { fuzzedRequest } from './otlp-fuzz.js';
import { startServe } from './serve-process.js';

const PAGES = [
  '/',
  '/api/state',
  '/api/flame',
  '/api/culprit',
  '/api/block?id=0000000000000001',
  '/debug/pprof/blocked',
];
/** Requests after which all pages are read. */
const ROUND = 25;
/** Heap of the process under test: above it, it ends. */
const HEAP_MB = 384;
/** How much longer than an answer to a plain request an answer may take. */
export const MAX_SLOWNESS = 100;

interface Timed {
  readonly ms: number;
}

interface FuzzExtent {
  readonly requests?: number;
  readonly seconds?: number;
}

interface FuzzResult {
  readonly requests: number;
  readonly isAlive: boolean;
  /** The longest answer, in answers to a plain request. */
  readonly slowness: number;
}

/** What a host takes the CPU away for is in one answer; what the server needs is in each: so a longest one is asked for again. */
async function shortest(first: Timed, longestMs: number, again: () => Promise<Timed>): Promise<number> {
  if (first.ms <= longestMs) return first.ms;
  const second = await again();
  const third = await again();
  return Math.min(first.ms, second.ms, third.ms);
}

/** Sends so many generated requests to a `serve`, or for so long: it answers each, within a bound, and lives on. */
export async function fuzzServe({ requests = 10_000_000, seconds = 110 }: FuzzExtent): Promise<FuzzResult> {
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const serve = await startServe([], { env, lifetimeMs: (seconds + 120) * 1_000 });
  let inputs = 0;
  let longestMs = 0;
  let plainMs = 0;
  const startMs = performance.now();
  try {
    await fc.assert(
      fc.asyncProperty(fuzzedRequest, async (request) => {
        const first = await serve.send(request);
        expect([200, 400, 413]).toContain(first.status);
        inputs += 1;
        longestMs = Math.max(longestMs, await shortest(first, longestMs, () => serve.send(request)));
        if (inputs % ROUND !== 0) return;
        plainMs = Math.max(plainMs, (await serve.get('/api/block?id=none')).ms);
        for (const page of PAGES) {
          const answer = await serve.get(page);
          expect([page, answer.status === 200 || page.includes('id=')]).toEqual([page, true]);
          longestMs = Math.max(longestMs, await shortest(answer, longestMs, () => serve.get(page)));
        }
      }),
      { numRuns: requests, interruptAfterTimeLimit: seconds * 1_000, markInterruptAsFailure: false },
    );
    const { now, peak } = serve.memory();
    const elapsed = Math.round((performance.now() - startMs) / 1_000);
    console.info(
      `${inputs} requests in ${elapsed} s; longest answer ${Math.round(longestMs)} ms, of a plain request ${Math.round(plainMs)} ms; ` +
        `memory ${Math.round(now / 1e6)} MB, at most ${Math.round(peak / 1e6)} MB`,
    );
    return { requests: inputs, isAlive: serve.cli.child.exitCode === null, slowness: longestMs / plainMs };
  } finally {
    await serve.end();
  }
}
