import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

import { countUntilRead, totalUnreadBytes } from './unread-answers.js';

/** All answers that clients have not yet read. Above it, a large one is refused: clients that read nothing hold memory. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Answers up to this size are always sent. */
const SMALL_BYTES = 64 * 1024;
export function answer(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const otherBytes = totalUnreadBytes();
  if (bytes.length > SMALL_BYTES && otherBytes > 0 && otherBytes + bytes.length > MAX_UNREAD_BYTES) {
    answerMessage(response, 503, 'Too many answers wait for their readers: retry later.', { 'retry-after': '1' });
    return;
  }
  if (!countUntilRead(response, bytes.length)) return;
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length, ...headers });
  response.end(bytes);
}

/** Answers with `{ "message": … }`, the JSON form of an OTLP error. */
export function answerMessage(
  response: ServerResponse,
  status: number,
  message: string,
  headers: OutgoingHttpHeaders = {},
): void {
  answer(response, status, 'application/json', JSON.stringify({ message }), headers);
}
