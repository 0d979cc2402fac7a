import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { nodeBinary } from '@loopwatch/node-binaries';

import { newSpanId, newTraceId } from './synthetic-service.ts';
import type { TestStack } from '../test-stack.ts';

const require = createRequire(import.meta.url);
const demoDirectory = path.join(path.dirname(require.resolve('@loopwatch/demo/package.json')), 'dist');
/** Starts the SDK of the demo, for other programs too. */
export const telemetryOfDemo = path.join(demoDirectory, 'telemetry.mjs');
const killAfterMs = 15 * 60_000;

/** Logs of run 1 at the start, the most that its trace shows, and the most that one request appends. */
const SEEDED_LOGS = 20_000;
const MAX_LOGS = 50_000;
const LOGS_PER_REQUEST = 100;

/** The demo service, as a user runs it: with its own telemetry, which it exports to the stack. */
export class Demo {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(stack: TestStack, environment: Readonly<Record<string, string>> = {}): Promise<Demo> {
    const child = run(stack, ['--import', telemetryOfDemo, path.join(demoDirectory, 'service.mjs')], {
      PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: stack.otlpUrl,
      OTEL_BSP_SCHEDULE_DELAY: '500',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_RESOURCE_ATTRIBUTES: 'service.version=1.0.0',
      DEMO_TRANSACTION_TIMEOUT_MS: '150',
      ...environment,
    });
    for await (const line of createInterface({ input: child.stdout! })) {
      const url = /listening on (http:\/\/\S+)/.exec(line)?.[1];
      if (url === undefined) continue;
      child.stdout!.resume();
      return new Demo(child, url);
    }
    // Its output can close before the process ends.
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    throw new Error(
      `Expected the demo service to listen, but it ended with ${child.signalCode ?? `exit code ${child.exitCode}`}.`,
    );
  }

  /** Gives its threads a high priority, where the user may: on a busy host, its blocks would mostly wait for a CPU. */
  runFirst(): void {
    if (process.platform !== 'linux') return;
    for (const thread of readdirSync(`/proc/${this.#process.pid}/task`)) {
      try {
        os.setPriority(Number(thread), -15);
      } catch {
        return;
      }
    }
  }

  /** Sends a request as part of a new trace, and returns the id of that trace. */
  async request(method: 'GET' | 'POST', route: string, body?: string): Promise<{ traceId: string; status: number }> {
    const traceId = newTraceId();
    const response = await fetch(new URL(route, this.url), {
      method,
      headers: {
        traceparent: `00-${traceId}-${newSpanId()}-01`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(60_000),
    });
    await response.arrayBuffer();
    return { traceId, status: response.status };
  }

  /**
   * Blocks the service for longer than `ms`, in `createSpans`: appends logs until its nested loop takes that long on this
   * machine.
   */
  async blockFor(ms: number): Promise<void> {
    for (let logs = SEEDED_LOGS; ;) {
      const startedMs = performance.now();
      const { status } = await this.request('GET', `/runs/1/trace?logs=${logs}`);
      const tookMs = performance.now() - startedMs;
      if (status !== 200) throw new Error(`Expected the trace of run 1 with status 200, got ${status}.`);
      // The answer takes little longer than the block.
      if (tookMs > 1.2 * ms) return;
      if (logs >= MAX_LOGS) throw new Error(`Expected ${MAX_LOGS} logs to block for ${ms} ms, got ${tookMs} ms.`);
      const wanted = Math.min(MAX_LOGS, Math.ceil((logs * Math.sqrt((1.5 * ms) / tookMs)) / 100) * 100);
      for (; logs < wanted; logs += LOGS_PER_REQUEST) await this.#appendLogs();
    }
  }

  /** Each new log has a parent that does not exist, which the nested loop searches to the end. */
  async #appendLogs(): Promise<void> {
    const logs = Array.from({ length: LOGS_PER_REQUEST }, () => ({
      spanId: newSpanId(),
      parentSpanId: newSpanId(),
      level: 'info',
      message: 'appended by the test',
      startedAt: Date.now(),
      durationMs: 1,
    }));
    const { status } = await this.request('POST', '/runs/1/logs', JSON.stringify({ logs }));
    if (status >= 300) throw new Error(`Expected the service to accept logs, got status ${status}.`);
  }

  /** Fills libuv's pool with the hashes of twenty logins. Meanwhile health checks resolve a host name. */
  async fillPool(): Promise<void> {
    const body = JSON.stringify({ user: 'demo', password: 'correct horse battery staple' });
    let areOver = false;
    const check = async (): Promise<void> => {
      while (!areOver) await this.request('GET', '/readyz');
    };
    // First, so that a lookup waits as soon as the hashes have taken all threads.
    const checks = check();
    const logins = Array.from({ length: 20 }, () => this.request('POST', '/logins', body));
    const over = Promise.all(logins).finally(() => (areOver = true));
    await checks;
    const refused = (await over).find(({ status }) => status !== 201);
    if (refused) throw new Error(`Expected the service to accept logins, got status ${refused.status}.`);
  }

  /** Makes the loop busy for that long with searches of some milliseconds: eight users search at a time. */
  async saturate(seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1000;
    const searches = Array.from({ length: 8 }, async () => {
      while (performance.now() < until) {
        const { status } = await this.request('GET', '/runs/search?filters=status:failed%20duration%3E250');
        if (status !== 200) throw new Error(`Expected the service to search, got status ${status}.`);
      }
    });
    await Promise.all(searches);
  }

  /** Runs the demo's traffic for that long: fast requests, and every few seconds one of its scenarios. */
  async traffic(stack: TestStack, seconds: number): Promise<void> {
    const options = ['--url', this.url, '--duration', String(seconds), '--seed', '1'];
    const child = run(stack, [path.join(demoDirectory, 'traffic.mjs'), ...options], {});
    child.stdout!.resume();
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0)
      throw new Error(`Expected the traffic to end with exit code 0, got ${child.signalCode ?? `exit code ${code}`}.`);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill(signal);
    await once(this.#process, 'exit');
  }
}

/** Starts a program that ends with the stack. */
export function run(
  stack: TestStack,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const child = spawn(nodeBinary(), ['--enable-source-maps', ...commandLine], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: killAfterMs,
    killSignal: 'SIGKILL',
    env: { ...process.env, NODE_OPTIONS: '', ...environment },
  });
  if (child.pid !== undefined) stack.guard(child.pid);
  return child;
}
