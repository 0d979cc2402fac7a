import type { IncomingMessage, ServerResponse } from 'node:http';

import { answer, answerMessage } from '../http/answer.js';
import { reportFailure } from '../http/failures.js';
import type { Handler } from '../http/server.js';
import { HttpError, MAX_BODY_BYTES, readBody } from './body.js';
import { BodyMemory } from './body-memory.js';
import { type DecodedMetric, MalformedBodyError, OversizedBodyError, type SpanGroup } from './decoded.js';
import { checkJson, decodeMetricsJson, decodeTracesJson } from './json.js';
import { createQueue, inPieces, piecesOfMetrics, piecesOfSpans } from './pieces.js';
import { decodeMetrics, decodeTraces, protobufStatus } from './protobuf.js';

/** Receives the decoded data, in pieces, with the headers of its request. */
export interface OtlpSink {
  onSpans(groups: SpanGroup[], headers: IncomingMessage['headers']): void;
  onMetrics(metrics: DecodedMetric[], headers: IncomingMessage['headers']): void;
}

type Format = 'application/json' | 'application/x-protobuf';

/** Limit of all bodies that are being received or wait for their turn: above it, senders are asked to retry later. */
const MAX_IN_FLIGHT_BYTES = 4 * MAX_BODY_BYTES;
const RETRY_AFTER_SECONDS = '1';

/** Serves `/v1/traces`, `/v1/metrics` and `/v1/logs`. */
export function createOtlpRoutes(sink: OtlpSink): Handler {
  const handlers: Readonly<Record<string, (body: Buffer, format: Format, request: IncomingMessage) => Promise<void>>> =
    {
      '/v1/traces': (body, format, { headers }) =>
        inPieces(piecesOfSpans(isJson(format) ? decodeTracesJson(body.toString()) : decodeTraces(body)), (groups) => {
          sink.onSpans(groups, headers);
        }),
      '/v1/metrics': (body, format, { headers }) =>
        inPieces(
          piecesOfMetrics(isJson(format) ? decodeMetricsJson(body.toString()) : decodeMetrics(body)),
          (metrics) => {
            sink.onMetrics(metrics, headers);
          },
        ),
      // Logs are accepted and dropped: refusing them would make an SDK that exports logs report an error for each batch.
      '/v1/logs': (body, format) => {
        if (isJson(format)) checkJson(body.toString());
        return Promise.resolve();
      },
    };
  const memory = new BodyMemory(MAX_IN_FLIGHT_BYTES);
  // Decoded data takes several times the memory of its body.
  const oneByOne = createQueue();

  async function serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    let format: Format = 'application/json';
    try {
      format = formatOf(request);
      const body = await readBody(request, memory);
      try {
        await oneByOne(async () => handlers[path]?.(body.bytes, format, request));
      } finally {
        body.release();
      }
      answer(response, 200, format, isJson(format) ? '{}' : '');
    } catch (error) {
      const { status, message } = toHttpError(error);
      // The rest of the body is not read, so the connection cannot be used again.
      if (!request.complete) response.setHeader('connection', 'close');
      if (status === 503) response.setHeader('retry-after', RETRY_AFTER_SECONDS);
      answer(response, status, format, isJson(format) ? JSON.stringify({ message }) : protobufStatus(message));
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
  if (error instanceof OversizedBodyError) return { status: 413, message: error.message };
  if (error instanceof MalformedBodyError) return { status: 400, message: error.message };
  // The decoder is recursive: deep nesting overflows the call stack.
  if (error instanceof RangeError) return { status: 400, message: 'The body is nested too deeply.' };
  // A defect of Loopwatch. Status 500 is not retryable: the same body would fail again.
  reportFailure(error);
  return { status: 500, message: 'Loopwatch failed to process this body; see its output for the error.' };
}
