import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { fixedQuerySchema } from '../http/fixed.js';
import { isValidTag, isValidTagLinear } from './tags.js';

const querySchema = fixedQuerySchema.extend({ tag: z.string().min(1).max(256) });

/** Validates tags. A tag of 40 letters and a full stop takes minutes; the route needs `DEMO_HANG_ROUTE=1`. */
export function tagRoutes(app: FastifyInstance): void {
  app.get('/tags/check', (request) => {
    const { tag, fixed } = querySchema.parse(request.query);
    return { tag, valid: fixed === '1' ? isValidTagLinear(tag) : isValidTag(tag) };
  });
}
