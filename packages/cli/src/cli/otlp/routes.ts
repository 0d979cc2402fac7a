import type { IncomingMessage, ServerResponse } from 'node:http';

import { answer, answerMessage } from '../http/answer.js';
import { reportFailure } from '../http/failures.js';
import type { Handler } from '../http/server.js';
import { type DecodedMetric, MalformedBodyError, type SpanGroup } from './decoded.js';
import { checkJson, decodeMetricsJson, decodeTracesJson } from './json.js';
import { decodeMetrics } from './protobuf-metrics.js';
import { decodeTraces } from './protobuf-traces.js';
import { HttpError, MAX_BODY_BYTES, readBody } from './body.js';
import { protobufStatus } from './status.js';

/** Receives the decoded data, with the headers of its request. */
export interface OtlpSink {
  onSpans(groups: SpanGroup[], headers: IncomingMessage['headers']): void;
  onMetrics(metrics: DecodedMetric[], headers: IncomingMessage['headers']): void;
}

type Format = 'application/json' | 'application/x-protobuf';

/** Limit of all bodies that are being received: above it, senders are asked to retry later. */
const MAX_IN_FLIGHT_BYTES = 4 * MAX_BODY_BYTES;
const RETRY_AFTER_SECONDS = '1';

/** Serves `/v1/traces`, `/v1/metrics` and `/v1/logs`. */
export function createOtlpRoutes(sink: OtlpSink): Handler {
  const handlers: Readonly<Record<string, (body: Buffer, format: Format, request: IncomingMessage) => void>> = {
    '/v1/traces': (body, format, { headers }) => {
      sink.onSpans(isJson(format) ? decodeTracesJson(body.toString()) : decodeTraces(body), headers);
    },
    '/v1/metrics': (body, format, { headers }) => {
      sink.onMetrics(isJson(format) ? decodeMetricsJson(body.toString()) : decodeMetrics(body), headers);
    },
    // Logs are accepted and dropped: refusing them would make an SDK that exports logs report an error for each batch.
    '/v1/logs': (body, format) => {
      if (isJson(format)) checkJson(body.toString());
    },
  };
  let inFlightBytes = 0;

  async function serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    let format: Format = 'application/json';
    const announced = Math.min(Number(request.headers['content-length'] ?? MAX_BODY_BYTES) || 0, MAX_BODY_BYTES);
    inFlightBytes += announced;
    try {
      format = formatOf(request);
      if (inFlightBytes > MAX_IN_FLIGHT_BYTES) throw new HttpError(503, 'Too much data at once: retry later.');
      handlers[path]?.(await readBody(request), format, request);
      answer(response, 200, format, isJson(format) ? '{}' : '');
    } catch (error) {
      const { status, message } = toHttpError(error);
      // The rest of the body is not read, so the connection cannot be used again.
      if (!request.complete) response.setHeader('connection', 'close');
      if (status === 503) response.setHeader('retry-after', RETRY_AFTER_SECONDS);
      answer(response, status, format, isJson(format) ? JSON.stringify({ message }) : protobufStatus(message));
    } finally {
      inFlightBytes -= announced;
    }
  }

  return async (request, response, { path }) => {
    if (!Object.hasOwn(handlers, path)) return false;
    if (request.method === 'POST') {
      await serve(request, response, path);
    } else {
      answerMessage(response, 405, `Expected POST, got ${request.method ?? ''}.`, { allow: 'POST' });
    }
    return true;
  };
}

function formatOf(request: IncomingMessage): Format {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json' || type === 'application/x-protobuf') return type;
  throw new HttpError(415, `Expected Content-Type application/x-protobuf or application/json, got ${type ?? 'none'}.`);
}

function isJson(format: Format): boolean {
  return format === 'application/json';
}

function toHttpError(error: unknown): { status: number; message: string } {
  if (error instanceof HttpError) return error;
  if (error instanceof MalformedBodyError) return { status: 400, message: error.message };
  // The decoder is recursive: deep nesting overflows the call stack.
  if (error instanceof RangeError) return { status: 400, message: 'The body is nested too deeply.' };
  // A defect of Loopwatch. Status 500 is not retryable: the same body would fail again.
  reportFailure(error);
  return { status: 500, message: 'Loopwatch failed to process this body; see its output for the error.' };
}
