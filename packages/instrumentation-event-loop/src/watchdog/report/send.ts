import fs from 'node:fs';
import type { request } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { OtlpEndpoint } from '../../contract/hang-report.js';
import { isFileUrl } from '../../contract/file-url.js';
import { holdStandardDescriptors } from '../../contract/standard-descriptors.js';
import { requireNode } from '../require-node.js';
import { append } from './append.js';

/** Outcome of a request; `retry` when the receiver could not be reached or may accept the request later. */
export type Outcome = 'sent' | 'refused' | 'retry';

/** Status codes that OTLP/HTTP defines as retryable. */
const RETRYABLE = new Set([429, 502, 503, 504]);

/** Posts a body of OTLP JSON, or appends it to a file. Never throws. */
export function send(endpoint: OtlpEndpoint, body: string, done: (outcome: Outcome) => void): void {
  let isDone = false;
  const release = holdStandardDescriptors(); // for the request's socket
  const finish = (outcome: Outcome): void => {
    if (isDone) return;
    isDone = true;
    release();
    done(outcome);
  };
  try {
    if (isFileUrl(endpoint.url)) {
      append(endpoint, body);
      finish('sent');
      return;
    }
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
    finish('refused'); // a header, a certificate or the file cannot be used
  }
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
