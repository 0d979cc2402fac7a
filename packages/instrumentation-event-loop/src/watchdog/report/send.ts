import fs from 'node:fs';
import http from 'node:http';
import type { RequestOptions } from 'node:https';
import { createRequire } from 'node:module';
import process from 'node:process';
import type { OtlpEndpoint } from '../../contract/hang-report.js';

/** Outcome of a request; `retry` when the receiver could not be reached or may accept the request later. */
export type Outcome = 'sent' | 'refused' | 'retry';

/** Status codes that OTLP/HTTP defines as retryable. */
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Loads `node:https` for the first report that needs it: that takes as much CPU time as half of a thread's start. */
const requireNode = createRequire(process.execPath);

/** Posts a body of OTLP JSON. Never throws. */
export function send(endpoint: OtlpEndpoint, body: string, done: (outcome: Outcome) => void): void {
  let isDone = false;
  const finish = (outcome: Outcome): void => {
    if (isDone) return;
    isDone = true;
    done(outcome);
  };
  try {
    const request = clientFor(endpoint.url).request(
      endpoint.url,
      {
        method: 'POST',
        headers: {
          ...endpoint.headers,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
        },
        timeout: endpoint.timeoutMs,
        agent: false,
        ...tls(endpoint),
      },
      (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        response.on('end', () => {
          finish(status >= 200 && status < 300 ? 'sent' : RETRYABLE.has(status) ? 'retry' : 'refused');
        });
        response.on('error', () => {
          finish('retry');
        });
      },
    );
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', () => {
      finish('retry');
    });
    request.end(body);
  } catch {
    finish('refused'); // a header or a certificate cannot be used
  }
}

function clientFor(url: string): Pick<typeof http, 'request'> {
  return url.startsWith('https:') ? (requireNode('node:https') as typeof http) : http;
}

function tls(endpoint: OtlpEndpoint): RequestOptions {
  return {
    ...(endpoint.certificate === undefined ? {} : { ca: fs.readFileSync(endpoint.certificate) }),
    ...(endpoint.clientKey === undefined ? {} : { key: fs.readFileSync(endpoint.clientKey) }),
    ...(endpoint.clientCertificate === undefined ? {} : { cert: fs.readFileSync(endpoint.clientCertificate) }),
  };
}
