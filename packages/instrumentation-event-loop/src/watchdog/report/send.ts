import fs from 'node:fs';
import type { request } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { OtlpEndpoint } from '../../contract/hang-report.js';
import { holdStandardDescriptors } from '../../contract/standard-descriptors.js';
import { requireNode } from '../require-node.js';

/** Outcome of a request; `retry` when the receiver could not be reached or may accept the request later. */
export type Outcome = 'sent' | 'refused' | 'retry';

/** Called once, with the delay in ms that the receiver asks for before the next attempt; 0 where it asks for none. */
export type Done = (outcome: Outcome, retryAfterMs: number) => void;

/** Status codes that OTLP/HTTP defines as retryable. */
const RETRYABLE = new Set([429, 502, 503, 504]);
/** Longest time of a request with its whole answer, ms, and length of an answer, bytes. */
const MAX_TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Posts a body of OTLP JSON on a connection of its own, which is closed when `done` is called. Never throws. */
export function send(endpoint: OtlpEndpoint, body: string, done: Done): void {
  const release = holdStandardDescriptors(); // for the request's socket
  let deadline: NodeJS.Timeout | undefined;
  let isDone = false;
  const finish = (outcome: Outcome, retryAfterMs: number): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(deadline);
    release();
    done(outcome, retryAfterMs);
  };
  try {
    // The status decides, also where the rest of the answer never comes.
    let outcome: Outcome = 'retry';
    let retryAfterMs = 0;
    const request = clientFor(endpoint.url).request(
      endpoint.url,
      {
        method: 'POST',
        headers: {
          ...endpoint.headers,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        },
        agent: false,
        ...tls(endpoint),
      },
      (response) => {
        outcome = outcomeOf(response.statusCode ?? 0);
        retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
        let bytesLeft = MAX_ANSWER_BYTES;
        response.on('data', (chunk: Buffer) => {
          bytesLeft -= chunk.length;
          if (bytesLeft < 0) request.destroy();
        });
        response.on('end', () => request.destroy());
        response.on('error', () => undefined); // `close` follows
      },
    );
    request.on('error', () => undefined); // `close` follows
    request.on('close', () => {
      finish(outcome, retryAfterMs);
    });
    deadline = setTimeout(() => request.destroy(), Math.min(endpoint.timeoutMs, MAX_TIMEOUT_MS));
    request.end(body);
  } catch {
    finish('refused', 0); // a header or a certificate cannot be used
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'sent';
  return RETRYABLE.has(status) ? 'retry' : 'refused';
}

/** The header `Retry-After`, in seconds or as a date, in ms; 0 where there is none, or an invalid one. */
export function parseRetryAfter(text: string | undefined, epochMs: number): number {
  if (text === undefined) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - epochMs;
  return ms > 0 ? ms : 0;
}

function clientFor(url: string): { readonly request: typeof request } {
  const name = url.startsWith('https:') ? 'node:https' : 'node:http';
  return requireNode(name) as { request: typeof request };
}

function tls(endpoint: OtlpEndpoint): RequestOptions {
  return {
    ...(endpoint.certificate === undefined ? {} : { ca: fs.readFileSync(endpoint.certificate) }),
    ...(endpoint.clientKey === undefined ? {} : { key: fs.readFileSync(endpoint.clientKey) }),
    ...(endpoint.clientCertificate === undefined ? {} : { cert: fs.readFileSync(endpoint.clientCertificate) }),
  };
}
