import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';

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

/** Reads and decompresses a body; neither before nor after decompression may it be larger than `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BODY_BYTES): Promise<Buffer> {
  const decoder = decoderOf(request.headers['content-encoding']);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return new Promise((resolve, reject) => {
    const source = decoder ?? request;
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: HttpError): void => {
      request.unpipe();
      request.off('data', count);
      decoder?.destroy();
      reject(error);
    };
    let received = 0;
    const count = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > maxBytes) fail(tooLarge(maxBytes));
    };
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    source.once('end', () => {
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
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

function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The body is larger than ${maxBytes / 1024 / 1024} MiB: send smaller batches.`);
}
