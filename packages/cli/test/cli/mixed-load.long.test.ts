import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

import { expect, test } from '@jest/globals';

import { ATTACKS, bomb, honestBatch, honestBlock } from '../support/hostile-otlp.js';
import { startServe } from '../support/serve-process.js';

/** Ten in the long tier; 60 before a release. */
const MINUTES = Number(process.env.LOOPWATCH_LOAD_MINUTES ?? 10);
const HEAP_MB = 640;
const PAUSE_MS = 500;
const SLOW_CONNECTIONS = 20;
const SAMPLES = 20;

test(
  'the memory of serve is flat under hostile and honest load',
  async () => {
    const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
    const serve = await startServe([], { env, lifetimeMs: (MINUTES + 3) * 60_000 });
    const slow: Socket[] = [];
    const endMs = performance.now() + MINUTES * 60_000;
    const samples: number[] = [];
    const statuses = new Map<number, number>();
    const attacks = Object.values(ATTACKS);
    let honest = 0;
    let sent = 0;
    try {
      for (let round = 0; performance.now() < endMs; round += 1) {
        honest += 1;
        const answers = [serve.send(attacks[round % attacks.length]!()), serve.send(honestBlock(honest))];
        if (round % attacks.length === 0) {
          const compressed = bomb();
          answers.push(serve.send(honestBatch(2_000_000)), ...Array.from({ length: 20 }, () => serve.send(compressed)));
        }
        for (const { status } of await Promise.all(answers)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        sent += answers.length;
        openSlowly(serve.url, slow);
        expect((await serve.get('/api/state')).status).toBe(200);
        expect((await serve.get('/api/flame')).status).toBe(200);
        const due = (samples.length + 1) * ((MINUTES * 60_000) / SAMPLES);
        if (MINUTES * 60_000 - (endMs - performance.now()) >= due) samples.push(serve.memory().now / 1e6);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      console.info(
        `${sent} requests in ${MINUTES} min (${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}); ` +
          `memory in MB: ${samples.map(Math.round).join(' ')}, at most ${Math.round(serve.memory().peak / 1e6)}`,
      );
      expect(serve.cli.child.exitCode).toBeNull();
      // What honest senders sent last is there.
      const state = JSON.parse((await serve.get('/api/state')).text) as { blocks: { id: string }[] };
      expect(state.blocks.map(({ id }) => id)).toContain(honest.toString(16).padStart(16, '0'));
      const half = Math.floor(samples.length / 2);
      expect(Math.max(...samples.slice(half))).toBeLessThan(1.3 * Math.max(...samples.slice(0, half)));
    } finally {
      for (const socket of slow) socket.destroy();
      await serve.end();
    }
  },
  (MINUTES + 4) * 60_000,
);

/** Some connections announce a large body and send one byte, some read no event. */
function openSlowly(url: string, slow: Socket[]): void {
  while (slow.length >= SLOW_CONNECTIONS) slow.shift()?.destroy();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const host = 'Host: localhost\r\n';
  socket.write(
    slow.length % 2 === 0
      ? `POST /v1/traces HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 20000000\r\n\r\n{`
      : `GET /api/events HTTP/1.1\r\n${host}\r\n`,
  );
  socket.pause();
  slow.push(socket);
}
