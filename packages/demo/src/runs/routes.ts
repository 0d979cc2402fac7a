import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import type { ServiceContext } from '../service/context.js';
import { NotFoundError } from '../http/errors.js';
import { fixedQuerySchema } from '../http/fixed.js';
import { findLogs, findLogsInPages } from './logs.js';
import { createSpans, createSpansByIndex } from './trace-view.js';
import { triggerRun } from './trigger-run.js';

/** Number of spans that the trace view shows at once. */
const VISIBLE_SPANS = 500;

const runParamsSchema = z.object({ runId: z.coerce.number().int().positive() });
const taskParamsSchema = z.object({ taskId: z.coerce.number().int().positive() });
const traceQuerySchema = fixedQuerySchema.extend({ logs: z.coerce.number().int().min(1).max(50_000).default(20_000) });
const triggerSchema = z.object({ payload: z.record(z.string(), z.unknown()).default({}) });
const logsSchema = z.object({
  logs: z
    .array(
      z.object({
        spanId: z.string().regex(/^[0-9a-f]{16}$/),
        parentSpanId: z
          .string()
          .regex(/^[0-9a-f]{16}$/)
          .nullable(),
        level: z.enum(['debug', 'info', 'warn', 'error']),
        message: z.string().max(4096),
        startedAt: z.number().int(),
        durationMs: z.number().int().min(0),
      }),
    )
    .min(1)
    .max(100),
});

/** Reads and creates runs, their logs and their traces. */
export function runRoutes(app: FastifyInstance, context: ServiceContext): void {
  const { reader, transactions } = context.database;

  app.get('/runs/:runId', (request) => {
    const { runId } = runParamsSchema.parse(request.params);
    const run = reader
      .prepare(
        `SELECT id, task_id AS taskId, status, created_at AS createdAt, duration_ms AS durationMs
         FROM runs WHERE id = ?`,
      )
      .get(runId);
    if (!run) throw new NotFoundError(`There is no run ${runId}.`);
    return run;
  });

  app.get('/runs/:runId/trace', async (request) => {
    const { runId } = runParamsSchema.parse(request.params);
    const query = traceQuerySchema.parse(request.query);
    const spans =
      query.fixed === '1'
        ? createSpansByIndex(await findLogsInPages(reader, runId, query.logs))
        : createSpans(findLogs(reader, runId, query.logs));
    if (spans.length === 0) throw new NotFoundError(`Run ${runId} has no logs.`);
    return {
      runId,
      spanCount: spans.length,
      rootCount: spans.filter((span) => span.parentSpanId === undefined).length,
      warningCount: spans.filter((span) => span.level === 'warn').length,
      spans: spans.slice(0, VISIBLE_SPANS),
    };
  });

  app.post('/runs/:runId/logs', async (request, reply) => {
    const { runId } = runParamsSchema.parse(request.params);
    const { logs } = logsSchema.parse(request.body);
    if (!reader.prepare('SELECT 1 FROM runs WHERE id = ?').get(runId)) {
      throw new NotFoundError(`There is no run ${runId}.`);
    }
    await transactions.run('append-logs', (transaction) => {
      const insert = transaction.prepare(
        `INSERT INTO logs (run_id, span_id, parent_span_id, level, message, started_at, duration_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const log of logs) {
        insert.run(runId, log.spanId, log.parentSpanId, log.level, log.message, log.startedAt, log.durationMs);
      }
    });
    return reply.code(201).send({ runId, appended: logs.length });
  });

  app.post('/tasks/:taskId/runs', async (request, reply) => {
    const { taskId } = taskParamsSchema.parse(request.params);
    const { payload } = triggerSchema.parse(request.body ?? {});
    const runId = await triggerRun(context, taskId, payload);
    return reply.code(201).send({ id: runId, taskId, status: 'queued' });
  });
}
