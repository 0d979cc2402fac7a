import { randomUUID } from 'node:crypto';

import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { isFixed } from '../http/fixed.js';
import { findPassword } from './accounts.js';
import { createLimit } from './limit.js';
import { isPassword } from './password.js';

const bodySchema = z.object({ user: z.string().min(1).max(64), password: z.string().min(1).max(256) });

/** Of the four threads that libuv's pool has by default, two stay free for files and lookups. */
const HASHES_AT_ONCE = 2;

/** User or password are wrong; the answer does not say which. */
export class WrongLoginError extends Error {
  override readonly name = 'WrongLoginError';
  readonly code = 'WRONG_LOGIN';
  readonly statusCode = 401;

  constructor() {
    super('Expected a user and its password.');
  }
}

/** Logins. Each hashes a password in libuv's pool: as many at once as there are requests, or, when fixed, two. */
export function loginRoutes(app: FastifyInstance): void {
  const limit = createLimit(HASHES_AT_ONCE);

  app.post('/logins', async (request, reply) => {
    const { user, password } = bodySchema.parse(request.body);
    const stored = findPassword(user);
    if (!stored) throw new WrongLoginError();
    const check = (): Promise<boolean> => isPassword(password, stored);
    if (!(await (isFixed(request.query) ? limit(check) : check()))) throw new WrongLoginError();
    return reply.code(201).send({ user, session: randomUUID() });
  });
}
