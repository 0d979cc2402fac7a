import process from 'node:process';

import { quoted } from './data-text.js';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** The address of a `loopwatch serve` on this machine. An agent must not be led to ask other hosts. */
export function serveUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && LOOPBACK.test(url.hostname)) return url;
  throw new Error(
    `Expected the address of a "loopwatch serve" on this machine, such as http://127.0.0.1:4318, got ${quoted(text)}. To reach one elsewhere, forward its port to this machine.`,
  );
}

/** Asks a `loopwatch serve`. Its token is that of the address, or of `LOOPWATCH_SERVE_TOKEN`. */
export async function askServe(url: URL, path: string): Promise<unknown> {
  const token = url.searchParams.get('token') ?? process.env.LOOPWATCH_SERVE_TOKEN;
  const headers = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };
  let response: Response;
  try {
    response = await fetch(new URL(path, url), {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    throw new Error(`Expected an answer of "loopwatch serve" at ${url.origin}, got none. Does it run?`, { cause });
  }
  if (!response.ok) {
    await response.body?.cancel();
    const advice = response.status === 401 ? 'Give the whole address that it has printed, with its token.' : '';
    throw new Error(`Expected status 200 of ${url.origin}, got ${response.status}. ${advice}`.trim());
  }
  return parse(await textOf(response, url), url);
}

async function textOf(response: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`Expected at most ${MAX_BYTES} bytes of ${url.origin}, got more.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string, url: URL): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Another server listens there.
  }
  throw new Error(`Expected the data of "loopwatch serve" at ${url.origin}, got something else.`);
}
