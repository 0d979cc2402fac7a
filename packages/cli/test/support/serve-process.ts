import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

import { type CliOptions, type RunningCli, startCli } from './cli.js';
import type { Attack } from './hostile-otlp.js';

/** A `loopwatch serve` of its own, under load. */
export interface ServeProcess {
  readonly url: string;
  readonly cli: RunningCli;
  /** ms until the answer, and its status; 0 where the connection ended without one. */
  send(attack: Attack): Promise<{ readonly ms: number; readonly status: number }>;
  get(path: string): Promise<{ readonly ms: number; readonly status: number; readonly text: string }>;
  /** Resident memory, bytes: now, and the most so far. */
  memory(): { readonly now: number; readonly peak: number };
  /** Sends plain requests, one after the other, until the work has ended; the longest wait for an answer, ms. */
  longestWaitDuring<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly waitMs: number }>;
  end(): Promise<void>;
}

export async function startServe(args: readonly string[] = [], options: CliOptions = {}): Promise<ServeProcess> {
  const cli = startCli(['serve', '--port', '0', ...args], options);
  const url = (await cli.waitFor(/http:\/\/127\.0\.0\.1:\d+/))[0];
  const timed = async <T>(request: () => Promise<T>): Promise<T & { ms: number }> => {
    const startMs = performance.now();
    const result = await request();
    return { ...result, ms: performance.now() - startMs };
  };
  const send: ServeProcess['send'] = ({ path, type, body, encoding }) =>
    timed(async () => {
      // No connection of before: the server may close it while this process prepares the next body.
      const headers = { connection: 'close', 'content-type': type, ...(encoding && { 'content-encoding': encoding }) };
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: new Uint8Array(body) }).catch(
        () => undefined,
      );
      await response?.arrayBuffer().catch(() => undefined);
      return { status: response?.status ?? 0 };
    });
  const get: ServeProcess['get'] = (path) =>
    timed(async () => {
      const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
      return { status: response.status, text: await response.text() };
    });
  return {
    url,
    cli,
    send,
    get,
    memory() {
      const status = readFileSync(`/proc/${cli.child.pid}/status`, 'utf8');
      const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? NaN) * 1024;
      return { now: of('VmRSS'), peak: of('VmHWM') };
    },
    async longestWaitDuring(work) {
      let waitMs = 0;
      let isOver = false;
      const plain = async (): Promise<void> => {
        while (!isOver) {
          waitMs = Math.max(waitMs, (await get('/api/block?id=none')).ms);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      const plainRequests = plain();
      try {
        const result = await work();
        isOver = true;
        await plainRequests;
        return { result, waitMs };
      } finally {
        isOver = true;
      }
    },
    async end() {
      cli.child.kill('SIGKILL');
      await cli.result;
    },
  };
}
