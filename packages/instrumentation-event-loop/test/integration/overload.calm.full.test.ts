import { Agent, get } from 'node:http';
import { expect, test } from '@jest/globals';
import { freePort } from '@loopwatch/test-support/free-port';

import { expectCleanExit } from './support.ts';
import { node24, runOnce } from './thread-support.ts';

/** Twice what the server can do: 8 ms of work for each request. */
const REQUESTS_PER_SECOND = 250;
/** So long that several requests are slower than the 99th percentile: one pause of the host does not decide. */
const LOAD_MS = 4000;
const LATE_SHARE = 0.99;

interface Load {
  /** How long the answered requests took, in order, ms. */
  readonly answeredMs: readonly number[];
  readonly refused: number;
  readonly sent: number;
  /** Until the last answer. */
  readonly elapsedMs: number;
}

/** Runs the server, sends requests at a fixed rate whether it answers or not, and ends it. */
async function loadOf(mode: 'all' | 'shed'): Promise<Load & { readonly inWorker: string }> {
  const port = await freePort();
  const running = runOnce(node24, 'shedding-server.cjs', { args: [mode, String(port)] });
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const ask = (path: string): Promise<{ status: number; body: string }> => answerOf(agent, port, path);
  while ((await ask('/ready').catch(() => undefined))?.status !== 200) await sleep(50);
  const inWorker = (await ask('/worker')).body;
  await sleep(1000); // the loop is at rest again
  const answeredMs: number[] = [];
  let refused = 0;
  const requests: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let passedMs = 0; passedMs < LOAD_MS; passedMs = performance.now() - startedAt) {
    for (const due = (passedMs / 1000) * REQUESTS_PER_SECOND; requests.length < due;) {
      const sentAt = performance.now();
      requests.push(
        ask('/').then(({ status }) => {
          if (status === 200) answeredMs.push(performance.now() - sentAt);
          else refused++;
        }),
      );
    }
    await sleep(4);
  }
  await Promise.all(requests);
  const elapsedMs = performance.now() - startedAt;
  await sleep(300);
  expect((await ask('/')).status).toBe(200); // the load is over
  await ask('/end');
  agent.destroy();
  expectCleanExit(await running);
  return { answeredMs: answeredMs.sort((a, b) => a - b), refused, sent: requests.length, elapsedMs, inWorker };
}

test('a shedder that asks isOverloaded() keeps the others fast under twice the load that the server can bear', async () => {
  const all = await loadOf('all');
  const shed = await loadOf('shed');
  expect([all.inWorker, shed.inWorker]).toEqual(['false', 'false']); // a worker thread is not asked
  expect([all.refused, all.answeredMs.length]).toEqual([0, all.sent]);
  const late = ({ answeredMs }: Load): number => answeredMs[Math.floor(answeredMs.length * LATE_SHARE)]!;
  expect(shed.refused / shed.sent).toBeGreaterThan(0.1);
  // It does not refuse more than it must. How much the server can do depends on what else the host does.
  const answeredPerSecond = ({ answeredMs, elapsedMs }: Load): number => (answeredMs.length / elapsedMs) * 1000;
  expect(answeredPerSecond(shed)).toBeGreaterThan(answeredPerSecond(all) / 4);
  expect(late(shed)).toBeLessThan(late(all) / 2);
}, 60_000);

function answerOf(agent: Agent, port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get({ agent, port, host: '127.0.0.1', path }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body });
      });
    }).on('error', reject);
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
