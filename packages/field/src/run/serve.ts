import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import type { FieldRequest, ServerWork } from '../program.ts';
import type { RunningChild } from './child.ts';

export interface HttpAnswer {
  readonly request: string;
  readonly status: number;
  readonly contentType: string;
  /** Hash of the body after the noise is replaced. */
  readonly body: string;
}

const POLL_MS = 100;
const REQUEST_TIMEOUT_MS = 60_000;
/** A signal that has not ended the server by then has no effect. */
const END_TIMEOUT_MS = 4000;

export interface ServeOptions {
  readonly work: ServerWork;
  readonly port: number;
  readonly child: RunningChild;
  readonly withoutNoise: (text: string) => string;
  /** Called when the requests are answered, before the signal. */
  readonly beforeSignal: () => Promise<void>;
}

/** Waits for the server, sends the requests one after the other, and ends it by its signal. */
export async function serve(options: ServeOptions): Promise<{ answers: HttpAnswer[]; readyAtMs: number }> {
  const { work, port, child } = options;
  const isReady = await waitUntilReady(`http://127.0.0.1:${port}${work.readyPath}`, child);
  const readyAtMs = performance.timeOrigin + performance.now();
  const answers: HttpAnswer[] = [];
  if (isReady) {
    for (const request of work.requests) {
      const same = Array.from({ length: request.concurrent ?? 1 }, () => send(request, options));
      answers.push(...(await Promise.all(same)));
    }
    // The last block is reported some time after its end.
    await wait(500);
  }
  await options.beforeSignal();
  child.signal(work.signal);
  const ended = await Promise.race([child.outcome.then(() => true), wait(END_TIMEOUT_MS, false, { ref: false })]);
  if (!ended) {
    answers.push({ request: work.signal, status: 0, contentType: '', body: 'the server did not end' });
    child.signal('SIGKILL');
  }
  return { answers, readyAtMs };
}

async function waitUntilReady(url: string, child: RunningChild): Promise<boolean> {
  while (child.isRunning()) {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (response?.ok) return true;
    await wait(POLL_MS);
  }
  return false;
}

async function send(request: FieldRequest, { port, withoutNoise }: ServeOptions): Promise<HttpAnswer> {
  const { method = 'GET', path, headers = {}, body } = request;
  const title = `${method} ${path}`;
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = withoutNoise(await response.text());
    return {
      request: title,
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: `${text.length} characters, ${createHash('sha256').update(text).digest('hex').slice(0, 12)}`,
    };
  } catch (error) {
    return { request: title, status: 0, contentType: '', body: error instanceof Error ? error.name : 'failed' };
  }
}
