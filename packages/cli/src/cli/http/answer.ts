import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export function answer(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(body);
}

/** Answers with `{ "message": … }`, the JSON form of an OTLP error. */
export function answerMessage(response: ServerResponse, status: number, message: string): void {
  answer(response, status, 'application/json', JSON.stringify({ message }));
}
