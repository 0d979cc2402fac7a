import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import type { ServiceContext } from '../service/context.js';
import { fixedQuerySchema } from '../http/fixed.js';
import { parseFilters, type FilteredRun } from './filters.js';

const MAX_SHOWN = 20;

const querySchema = fixedQuerySchema.extend({
  filters: z.string().min(1).max(1000),
  /** How many of the latest runs are searched. */
  rows: z.coerce.number().int().min(1).max(20_000).default(1500),
});

interface FoundRun extends FilteredRun {
  readonly id: number;
}

/** Searches the latest runs. */
export function searchRoutes(app: FastifyInstance, { database }: ServiceContext): void {
  const latest = database.reader.prepare(
    `SELECT runs.id, runs.status, tasks.name AS task, runs.duration_ms AS durationMs
     FROM runs JOIN tasks ON tasks.id = runs.task_id ORDER BY runs.id DESC LIMIT ?`,
  );

  app.get('/runs/search', (request) => {
    const { filters, rows, fixed } = querySchema.parse(request.query);
    const runs = latest.all(rows) as unknown as FoundRun[];
    const found = fixed === '1' ? searchRuns(runs, filters) : searchRunsByRow(runs, filters);
    return { count: found.length, runs: found.slice(0, MAX_SHOWN) };
  });
}

/** Parses the filters again for each row. No search takes long, and many of them take all the time of the loop. */
function searchRunsByRow(runs: readonly FoundRun[], filters: string): FoundRun[] {
  return runs.filter((run) => parseFilters(filters).every((matches) => matches(run)));
}

function searchRuns(runs: readonly FoundRun[], filters: string): FoundRun[] {
  const parsed = parseFilters(filters);
  return runs.filter((run) => parsed.every((matches) => matches(run)));
}
