import type { FastifyInstance } from 'fastify';
import { ZodError } from 'zod';

/** A body can have thousands of invalid fields; the answer names only the first ones. */
const MAX_REPORTED_ISSUES = 20;

export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  readonly code = 'NOT_FOUND';
  readonly statusCode = 404;
}

export class PayloadTooLargeError extends Error {
  override readonly name = 'PayloadTooLargeError';
  readonly code = 'PAYLOAD_TOO_LARGE';
  readonly statusCode = 413;
}

/** Validation errors: 400 with the invalid fields. Errors with a status code: that code. All others: 500. */
export function registerErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler<Error & { statusCode?: number; code?: string }>((error, _request, reply) => {
    if (error instanceof ZodError) {
      const issues = error.issues.slice(0, MAX_REPORTED_ISSUES).map(({ path, message }) => ({ path, message }));
      return reply.code(400).send({ code: 'INVALID_REQUEST', message: 'The request is not valid.', issues });
    }
    const statusCode = error.statusCode ?? 500;
    if (statusCode < 500 || 'code' in error) {
      return reply.code(statusCode).send({ code: error.code, message: error.message });
    }
    console.error(error);
    return reply.code(500).send({ code: 'INTERNAL', message: 'Internal error.' });
  });
}
