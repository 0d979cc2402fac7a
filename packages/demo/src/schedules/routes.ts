import { CronExpressionParser } from 'cron-parser';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import type { ServiceContext } from '../service/context.js';
import { NotFoundError } from '../http/errors.js';
import { fixedQuerySchema } from '../http/fixed.js';
import { type Schedule, findSchedules } from './schedules.js';

const PAGE_SIZE = 50;

const querySchema = fixedQuerySchema.extend({
  /** Maximum number of schedules. */
  rows: z.coerce.number().int().min(1).max(50_000).default(50_000),
  /** The next run of each schedule is the first one after this time. Default: now. */
  from: z.iso.datetime().optional(),
  /** For the fixed variant: the page starts after the schedule of this id. */
  after: z.coerce.number().int().min(0).default(0),
});

interface ScheduleView {
  readonly id: number;
  readonly task: string;
  readonly cron: string;
  readonly timezone: string;
  readonly active: boolean;
  readonly nextRun: string | null;
}

/** Lists the schedules of a project: all of them at once, or, in the fixed variant, page by page. */
export function scheduleRoutes(app: FastifyInstance, { database }: ServiceContext): void {
  app.get<{ Params: { slug: string } }>('/projects/:slug/schedules', (request) => {
    const { slug } = request.params;
    const query = querySchema.parse(request.query);
    const project = database.reader.prepare('SELECT id FROM projects WHERE slug = ?').get(slug);
    if (!project) throw new NotFoundError(`There is no project "${slug}".`);
    const from = query.from === undefined ? new Date() : new Date(query.from);
    const projectId = Number(project['id']);
    if (query.fixed === '0') {
      return { schedules: listSchedules(findSchedules(database.reader, projectId, 0, query.rows), from) };
    }
    const page = findSchedules(database.reader, projectId, query.after, Math.min(PAGE_SIZE, query.rows));
    const next = page.length === PAGE_SIZE ? page.at(-1)?.id : undefined;
    return { schedules: listSchedules(page, from), next };
  });
}

/** Computes the view of each schedule. The next run is searched in the calendar of the time zone, which takes long. */
function listSchedules(schedules: readonly Schedule[], from: Date): ScheduleView[] {
  return schedules.map((schedule) => {
    const { id, task, cron, timezone } = schedule;
    const active = schedule.active === 1;
    const nextRun = active
      ? CronExpressionParser.parse(cron, { currentDate: from, tz: timezone }).next().toISOString()
      : null;
    return { id, task, cron, timezone, active, nextRun };
  });
}
