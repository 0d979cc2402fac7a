import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
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
    const reader = new BodyReader(request, decoder, { resolve, reject });
    reader.read(memory, idleTimeoutMs);
  });
}

interface Outcome {
  readonly resolve: (body: ReceivedBody) => void;
  readonly reject: (error: HttpError) => void;
}

/** Keeps what arrives of a body until it is complete, or until it is refused. */
class BodyReader {
  readonly #request: IncomingMessage;
  readonly #decoder: Transform | undefined;
  readonly #outcome: Outcome;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #received = 0;
  #isOver = false;
  #place: OpenBody | undefined;

  constructor(request: IncomingMessage, decoder: Transform | undefined, outcome: Outcome) {
    this.#request = request;
    this.#decoder = decoder;
    this.#outcome = outcome;
  }

  read(memory: BodyMemory, idleTimeoutMs: number): void {
    const request = this.#request;
    this.#place = memory.open(() => {
      this.#fail(new HttpError(503, 'Too much data at once: retry later.'));
    });
    // There may be no room for it.
    if (this.#isOver) return;
    request.setTimeout(idleTimeoutMs);
    request.on('timeout', this.#onIdle);
    this.#source.on('data', this.#keep);
    this.#source.once('end', this.#complete);
    // Also emitted when the client disconnects; the answer is then discarded.
    request.once('error', (cause) => {
      this.#fail(new HttpError(400, 'The body is incomplete.', { cause }));
    });
    if (this.#decoder) this.#decode(this.#decoder);
  }

  get #source(): Readable {
    return this.#decoder ?? this.#request;
  }

  #decode(decoder: Transform): void {
    this.#request.on('data', this.#count);
    decoder.once('error', (cause) => {
      this.#fail(new HttpError(400, 'The body does not match its Content-Encoding, or is incomplete.', { cause }));
    });
    this.#request.pipe(decoder);
  }

  readonly #onIdle = (): void => {
    this.#fail(new HttpError(408, 'The rest of the body did not arrive: send it again.'));
  };

  readonly #count = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > MAX_BODY_BYTES) this.#fail(tooLarge());
  };

  readonly #keep = (chunk: Buffer): void => {
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES) {
      this.#fail(tooLarge());
      return;
    }
    this.#chunks.push(chunk);
    this.#place?.take(chunk.length);
  };

  readonly #complete = (): void => {
    if (this.#isOver) return;
    this.#end();
    const place = this.#place;
    place?.complete();
    this.#outcome.resolve({
      bytes: this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks),
      release: () => {
        place?.close();
      },
    });
  };

  #fail(error: HttpError): void {
    // What is complete keeps its place, also when the client disconnects.
    if (this.#isOver) return;
    this.#end();
    this.#place?.close();
    this.#chunks.length = 0;
    this.#source.off('data', this.#keep);
    this.#request.unpipe();
    this.#request.off('data', this.#count);
    this.#decoder?.destroy();
    this.#outcome.reject(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#request.setTimeout(0);
    this.#request.off('timeout', this.#onIdle);
  }
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
