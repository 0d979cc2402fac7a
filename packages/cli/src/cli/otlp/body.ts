import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';

import type { BodyMemory, OpenBody } from './body-memory.js';

/** The default limit of the OpenTelemetry Collector's receiver. */
export const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** A refused request: the HTTP status of the answer, and the reason. */
export class HttpError extends Error {
  override name = 'HttpError';
  constructor(
    readonly status: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A sender that sends nothing for so long is answered with 408. */
const IDLE_TIMEOUT_MS = 10_000;

/** A body in memory; `release` says that it is no longer needed. */
interface ReceivedBody {
  readonly bytes: Buffer;
  release(): void;
}

/** Reads and decompresses a body; neither before nor after decompression may it be larger than `MAX_BODY_BYTES`. */
export async function readBody(
  request: IncomingMessage,
  memory: BodyMemory,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
): Promise<ReceivedBody> {
  const decoder = decoderOf(request.headers['content-encoding']);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  return new Promise((resolve, reject) => {
    const source = decoder ?? request;
    const chunks: Buffer[] = [];
    let size = 0;
    let received = 0;
    let isOver = false as boolean;
    // `open` may call `giveUp` at once.
    let place: OpenBody | undefined = undefined as OpenBody | undefined;
    const end = (): void => {
      isOver = true;
      request.setTimeout(0);
      request.off('timeout', onIdle);
    };
    const fail = (error: HttpError): void => {
      // What is complete keeps its place, also when the client disconnects.
      if (isOver) return;
      end();
      place?.close();
      chunks.length = 0;
      source.off('data', keep);
      request.unpipe();
      request.off('data', count);
      decoder?.destroy();
      reject(error);
    };
    const onIdle = (): void => {
      fail(new HttpError(408, 'The rest of the body did not arrive: send it again.'));
    };
    const giveUp = (): void => {
      fail(new HttpError(503, 'Too much data at once: retry later.'));
    };
    function count(chunk: Buffer): void {
      received += chunk.length;
      if (received > MAX_BODY_BYTES) fail(tooLarge());
    }
    function keep(chunk: Buffer): void {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        fail(tooLarge());
        return;
      }
      chunks.push(chunk);
      place?.take(chunk.length);
    }
    const onEnd = (): void => {
      if (isOver) return;
      end();
      place?.complete();
      resolve({
        bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks),
        release: () => {
          place?.close();
        },
      });
    };
    place = memory.open(giveUp);
    // There may be no room for it.
    if (isOver) return;
    request.setTimeout(idleTimeoutMs);
    request.on('timeout', onIdle);
    source.on('data', keep);
    source.once('end', onEnd);
    // Also emitted when the client disconnects; the answer is then discarded.
    request.once('error', (cause) => {
      fail(new HttpError(400, 'The body is incomplete.', { cause }));
    });
    if (!decoder) return;
    request.on('data', count);
    decoder.once('error', (cause) => {
      fail(new HttpError(400, 'The body does not match its Content-Encoding, or is incomplete.', { cause }));
    });
    request.pipe(decoder);
  });
}

function decoderOf(encoding: string | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    default:
      throw new HttpError(415, `Expected Content-Encoding gzip, deflate or none, got ${encoding ?? ''}.`);
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, `The body is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB: send smaller batches.`);
}
