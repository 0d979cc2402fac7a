import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { ATTACKS, bomb, honestBatch, honestBlock } from '../support/hostile-otlp.js';
import { type ServeProcess, startServe } from '../support/serve-process.js';

/** `serve` lives with all of this in a heap of half a gigabyte. */
const HEAP_MB = 512;
/** How much longer than an honest batch of the same size an attack may take: both are timed on a busy machine. */
const FACTOR = 8;
/** The others take longer to make than to answer: `mixed-load.long.test.ts` sends all of them. */
const SHORT = [
  'thirty thousand services in one request',
  'twenty thousand services of metrics',
  'fifty thousand victims of one block',
  'three hundred thousand names of threads',
  'a profile of nineteen megabytes',
  'line numbers that no source has',
  'ten thousand blocks in one trace',
  'ten million empty spans',
];
const PAGES = ['/api/state', '/api/flame', '/api/culprit', '/api/block?id=none', '/debug/pprof/blocked'];

let serve: ServeProcess;
/** What a full batch of an honest sender takes, and how long a plain request waits meanwhile. */
let honest: { readonly ms: number; readonly waitMs: number };
beforeAll(async () => {
  serve = await startServe([], { lifetimeMs: 600_000, env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` } });
  const batch = honestBatch();
  const times = [];
  for (let run = 0; run < 3; run += 1) {
    const { result, waitMs } = await serve.longestWaitDuring(() => serve.send(batch));
    expect(result.status).toBe(200);
    times.push({ ms: result.ms, waitMs });
  }
  honest = { ms: Math.max(...times.map(({ ms }) => ms)), waitMs: Math.max(...times.map(({ waitMs }) => waitMs)) };
});
afterAll(() => serve.end());

describe('serve answers, and others in the meantime, when a request has', () => {
  test.each(SHORT)('%s', async (name) => {
    const attack = ATTACKS[name]!();
    const { result, waitMs } = await serve.longestWaitDuring(() => serve.send(attack));
    expect([200, 400, 413]).toContain(result.status);
    expect(result.ms).toBeLessThan(FACTOR * honest.ms);
    expect(waitMs).toBeLessThan(FACTOR * honest.waitMs);
    for (const path of PAGES) {
      const { status, ms } = await serve.get(path);
      expect([path, status]).toEqual([path, path.endsWith('none') ? 404 : 200]);
      expect(ms).toBeLessThan(FACTOR * honest.ms);
    }
  });
});

test('sixty bodies at once that decompress to a gigabyte do not end it, and what does not fit may be sent again', async () => {
  const attack = bomb();
  expect(attack.body.length).toBeLessThan(30_000);
  const answers = await Promise.all(Array.from({ length: 60 }, () => serve.send(attack)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].every((status) => status === 200 || status === 503)).toBe(true);
  expect((await serve.send(honestBlock(0xb10c))).status).toBe(200);
});

test('it shows what honest senders have sent since, and says that other data is not kept', async () => {
  const state = JSON.parse((await serve.get('/api/state')).text) as {
    blocks: { id: string }[];
    notKept: Record<string, number>;
  };
  expect(state.blocks.map(({ id }) => id)).toContain('000000000000b10c');
  expect(
    Object.entries(state.notKept)
      .filter(([, count]) => count > 0)
      .map(([kind]) => kind),
  ).toEqual(expect.arrayContaining(['blocks', 'victims', 'lagPoints', 'instances']));
});
