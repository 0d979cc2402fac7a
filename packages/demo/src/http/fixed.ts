import { z } from 'zod';

/** Query of every route that has a fixed variant: `?fixed=1` gives the same answer without blocking. */
export const fixedQuerySchema = z.object({ fixed: z.enum(['0', '1']).default('0') });

export function isFixed(query: unknown): boolean {
  return fixedQuerySchema.parse(query).fixed === '1';
}
