import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { rootCertificates } from 'node:tls';

import { readVariable } from '@loopwatch/instrumentation-event-loop/internal';

import type { Environment, ExporterAnswer } from '../facts.js';
import type { TracesEndpoint } from '../otlp-endpoint.js';
import { readPem } from './pem.js';

const TIMEOUT_MS = 5000;
/** A valid OTLP request that contains nothing. */
const EMPTY_REQUEST = '{"resourceSpans":[]}';

export interface Reply {
  readonly answer: ExporterAnswer;
  /** The receiver's `Date` header as ms since the epoch, and when it arrived. */
  readonly date: { readonly receiverMs: number; readonly ownMs: number } | undefined;
}

/**
 * Sends an empty OTLP request to the endpoint of the spans; over gRPC it only connects. `directory`: that of the process
 * that has the environment.
 */
export async function askExporter(endpoint: TracesEndpoint, env: Environment, directory: string): Promise<Reply> {
  if (!URL.canParse(endpoint.url)) return failed('no URL');
  const url = new URL(endpoint.url);
  if (endpoint.protocol === 'grpc') return connect(url);
  if (!/^https?:$/.test(url.protocol)) return failed('no http or https URL');
  return post(url, endpoint, () => certificates(env, directory));
}

function connect(url: URL): Promise<Reply> {
  const started = performance.now();
  return new Promise((resolve) => {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const socket = net.connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port, timeout: TIMEOUT_MS });
    const end = (reply: Reply): void => {
      socket.destroy();
      resolve(reply);
    };
    socket.once('connect', () => {
      end({ answer: { kind: 'connected', ms: performance.now() - started }, date: undefined });
    });
    socket.once('timeout', () => {
      end(failed(`no connection within ${TIMEOUT_MS / 1000} s`));
    });
    socket.once('error', (error) => {
      end(failed(reasonOf(error)));
    });
  });
}

function post(url: URL, { headers }: TracesEndpoint, files: () => https.RequestOptions): Promise<Reply> {
  const started = performance.now();
  return new Promise((resolve) => {
    let request: http.ClientRequest;
    try {
      request = (url.protocol === 'https:' ? https : http).request(url, {
        method: 'POST',
        agent: false,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': EMPTY_REQUEST.length },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...files(),
      });
    } catch (error) {
      resolve(failed(reasonOf(error)));
      return;
    }
    request.once('response', (response) => {
      const ownMs = Date.now();
      const receiverMs = Date.parse(response.headers.date ?? '');
      response.resume();
      response.once('error', () => undefined);
      request.destroy();
      resolve({
        answer: {
          kind: 'status',
          status: response.statusCode ?? 0,
          server: [response.headers.server].flat()[0],
          ms: performance.now() - started,
        },
        date: Number.isNaN(receiverMs) ? undefined : { receiverMs, ownMs },
      });
    });
    request.on('error', (error) => {
      resolve(
        failed(
          error.name === 'TimeoutError' || error.name === 'AbortError'
            ? `no answer within ${TIMEOUT_MS / 1000} s`
            : reasonOf(error),
        ),
      );
    });
    request.end(EMPTY_REQUEST);
  });
}

/** The PEM files that the standard variables name. */
function certificates(env: Environment, directory: string): https.RequestOptions {
  const pem = (suffix: string): Buffer | undefined => {
    const file =
      readVariable(env, `OTEL_EXPORTER_OTLP_TRACES_${suffix}`) ?? readVariable(env, `OTEL_EXPORTER_OTLP_${suffix}`);
    return file === undefined ? undefined : readPem(path.resolve(directory, file));
  };
  const ca = pem('CERTIFICATE') ?? authorities(env, directory);
  return { ca, key: pem('CLIENT_KEY'), cert: pem('CLIENT_CERTIFICATE') };
}

/** Those that Node.js trusts in the process: this one may have been started with others. */
function authorities(
  { NODE_EXTRA_CA_CERTS: file = '' }: Environment,
  directory: string,
): (string | Buffer)[] | undefined {
  if (file === '') return undefined;
  try {
    return [...rootCertificates, readPem(path.resolve(directory, file))];
  } catch {
    return undefined; // Node.js warns of such a file, and goes on
  }
}

function failed(reason: string): Reply {
  return { answer: { kind: 'error', reason }, date: undefined };
}

/** An error of several addresses, such as those of `localhost`, has a code and no message. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
