import { setTimeout as delay } from 'node:timers/promises';

import type { PlannedStep } from './plan.js';
import type { PlannedRequest } from './request.js';

/** Further requests are skipped while this many are open, as when users give up. */
const MAX_IN_FLIGHT = 200;
const REQUEST_TIMEOUT_MS = 60_000;

export interface TrafficSummary {
  /** Requests that got an answer, by status code. */
  readonly answers: ReadonlyMap<number, number>;
  /** Requests that got none. */
  readonly failed: number;
  /** Requests that were not sent because too many were open. */
  readonly skipped: number;
  /** Response times of the quick requests, sorted. */
  readonly quickLatenciesMs: readonly number[];
}

export interface SendOptions {
  readonly baseUrl: string;
  readonly durationMs: number;
  /** Ends the traffic early and aborts open requests. */
  readonly signal: AbortSignal;
}

/**
 * Sends the requests of the plan at their times. Does not wait for earlier answers, because users do not wait for each
 * other. Resolves after the duration, when the open requests are answered.
 */
export async function sendTraffic(plan: Iterable<PlannedStep>, options: SendOptions): Promise<TrafficSummary> {
  const { baseUrl, durationMs, signal } = options;
  const answers = new Map<number, number>();
  const quickLatenciesMs: number[] = [];
  const open = new Set<Promise<void>>();
  let failed = 0;
  let skipped = 0;

  const send = async (request: PlannedRequest): Promise<void> => {
    const until = performance.now() + (request.repeatForMs ?? 0);
    do await sendOnce(request);
    while (performance.now() < until && !signal.aborted);
  };

  const sendOnce = async (request: PlannedRequest): Promise<void> => {
    let sentAt = performance.now();
    try {
      if (request.delayMs !== undefined) {
        await delay(request.delayMs, undefined, { signal });
        sentAt = performance.now();
      }
      const status = await answerOf(baseUrl, request, signal);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (request.kind === 'quick') quickLatenciesMs.push(performance.now() - sentAt);
    } catch {
      // A request that the end of the traffic aborts has not failed.
      if (!signal.aborted) failed++;
    }
  };

  let beganAt = performance.now();
  const endsAt = beganAt + durationMs;
  for (const step of plan) {
    const sendAt = beganAt + step.atMs;
    if (sendAt > endsAt) break;
    const waitMs = sendAt - performance.now();
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
    if (step.isAlone) await Promise.all(open);
    if (signal.aborted) break;
    for (const request of step.requests) {
      if (open.size >= MAX_IN_FLIGHT) {
        skipped++;
        continue;
      }
      const sending = send(request).finally(() => open.delete(sending));
      open.add(sending);
    }
    if (step.isAlone) {
      await Promise.all(open);
      beganAt += performance.now() - sendAt;
    }
  }
  await Promise.all(open);
  return { answers, failed, skipped, quickLatenciesMs: quickLatenciesMs.sort((a, b) => a - b) };
}

async function answerOf(baseUrl: string, request: PlannedRequest, signal: AbortSignal): Promise<number> {
  const response = await fetch(new URL(request.path, baseUrl), {
    method: request.method,
    ...(request.body !== undefined && { body: request.body, headers: { 'content-type': 'application/json' } }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
  });
  await response.arrayBuffer();
  return response.status;
}

/** One line: the number of answers, the errors, and the response times of the quick requests. */
export function describeTraffic(summary: TrafficSummary): string {
  const { answers, failed, skipped, quickLatenciesMs } = summary;
  const answered = [...answers.values()].reduce((sum, count) => sum + count, 0);
  const parts = [`${answered} requests answered`];
  for (const [status, count] of [...answers].sort(([a], [b]) => a - b)) {
    if (status >= 400) parts.push(`${count} with ${status}`);
  }
  if (failed > 0) parts.push(`${failed} without answer`);
  if (skipped > 0) parts.push(`${skipped} not sent (${MAX_IN_FLIGHT} were open)`);
  const median = quantile(quickLatenciesMs, 0.5);
  const p99 = quantile(quickLatenciesMs, 0.99);
  if (median !== undefined && p99 !== undefined) {
    parts.push(`quick requests: median ${formatMs(median)}, p99 ${formatMs(p99)}`);
  }
  return parts.join(', ');
}

function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
