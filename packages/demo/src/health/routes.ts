import { lookup } from 'node:dns';

import type { FastifyInstance } from 'fastify';

/** The host of what the service needs to be ready. */
const DEPENDENCY_HOST = 'localhost';
/** Well within the second that Kubernetes gives a probe by default. */
const LOOKUP_TIMEOUT_MS = 300;

/** The address of a host was not known in time. */
export class LookupTimeoutError extends Error {
  override readonly name = 'LookupTimeoutError';
  readonly code = 'LOOKUP_TIMEOUT';
  readonly statusCode = 503;

  constructor(host: string) {
    super(`Expected the address of ${host} within ${LOOKUP_TIMEOUT_MS} ms, got none.`);
  }
}

/** Health checks: whether the process answers, and whether it can resolve the host of its dependency. */
export function healthRoutes(app: FastifyInstance): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async () => ({ status: 'ready', address: await resolveInTime(DEPENDENCY_HOST) }));
}

/** The lookup is a task for libuv's pool: it waits for a thread, and cannot be taken back. */
function resolveInTime(host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => {
      reject(new LookupTimeoutError(host));
    }, LOOKUP_TIMEOUT_MS);
    lookup(host, (error, address) => {
      clearTimeout(timeout);
      if (error) reject(error);
      else resolve(address);
    });
  });
}
