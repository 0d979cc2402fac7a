import type { LivenessThresholds } from '../contract/liveness-data.js';

export interface MainThreadBlock {
  /** How long the main thread has been blocked; 0 when it is not. */
  readonly blockedMs: number;
  readonly culprit?: string | undefined;
}

export interface LivenessAnswer {
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The answer to `HEAD` is that to `GET` without its body. */
  readonly omitsBody: boolean;
}

/** Which threshold a path answers by. */
const PATHS = new Map<string | undefined, keyof LivenessThresholds>([
  ['/livez', 'livenessThresholdMs'],
  ['/readyz', 'readinessThresholdMs'],
]);
/** `GET /livez HTTP/1.1`; a query is ignored. */
const REQUEST_LINE = /^([A-Z]+) ([^\s?]*)(?:\?\S*)? HTTP\/1\.[01]\r\n/;

/**
 * The answer to an HTTP request, of which only the first line counts: 200 while the main thread has been blocked for
 * less than the threshold of its path, else 503.
 */
export function livenessAnswer(
  request: string,
  { blockedMs, culprit }: MainThreadBlock,
  thresholds: LivenessThresholds,
): LivenessAnswer {
  const [, method, path] = REQUEST_LINE.exec(request) ?? [];
  if (method === undefined) return text('400 Bad Request', 'Expected a request of HTTP/1.1.');
  const omitsBody = method === 'HEAD';
  const threshold = PATHS.get(path);
  if (!threshold) return { ...text('404 Not Found', 'Expected GET /livez or GET /readyz.'), omitsBody };
  if (method !== 'GET' && !omitsBody) return text('405 Method Not Allowed', 'Expected GET.', { allow: 'GET, HEAD' });
  // Rounded up, it could reach the threshold in an answer that says "ok".
  const wholeMs = Math.floor(blockedMs);
  const isBlocked = wholeMs >= thresholds[threshold];
  return {
    omitsBody,
    status: isBlocked ? '503 Service Unavailable' : '200 OK',
    headers: { 'content-type': 'application/json' },
    body: `${JSON.stringify({ status: isBlocked ? 'blocked' : 'ok', blockedMs: wholeMs, culprit })}\n`,
  };
}

/** The answer as it is sent. The connection is not kept: a probe opens a new one each time. */
export function formatAnswer({ status, headers, body, omitsBody }: LivenessAnswer): string {
  const fields = {
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${omitsBody ? '' : body}`;
}

function text(status: string, body: string, headers: Readonly<Record<string, string>> = {}): LivenessAnswer {
  const fields = { 'content-type': 'text/plain; charset=utf-8', ...headers };
  return { status, headers: fields, body: `${body}\n`, omitsBody: false };
}
