import type { FastifyInstance } from 'fastify';

import type { ServiceContext } from '../service/context.js';
import { NotFoundError } from '../http/errors.js';
import { isFixed } from '../http/fixed.js';
import { countActive } from '../schedules/count-active.js';
import { findSchedules } from '../schedules/schedules.js';
import { type AdmittedDefinition, admitDefinition, admitDefinitionInSlices } from './definition.js';

/** Higher than the limit of a definition, so that `admitDefinition` rejects a large one, not Fastify. */
const BODY_LIMIT_BYTES = 48 * 1024 * 1024;

/** The text of older definitions is removed, because traffic may run for days. */
const KEPT_DEFINITIONS = 20;

/** Release 2 counts so many of them at most. */
const MAX_SCHEDULES = 3000;

/** Lists projects and tasks, and creates tasks. */
export function taskRoutes(app: FastifyInstance, context: ServiceContext): void {
  const { reader, transactions } = context.database;

  app.get('/projects', () => ({ projects: reader.prepare('SELECT slug, name FROM projects ORDER BY id').all() }));

  app.get<{ Params: { slug: string } }>('/projects/:slug/tasks', (request) => {
    const projectId = findProjectId(request.params.slug);
    const tasks = reader
      .prepare(
        `SELECT id, name, definition_bytes AS definitionBytes, created_at AS createdAt
         FROM tasks WHERE project_id = ? ORDER BY id LIMIT 100`,
      )
      .all(projectId);
    if (context.release !== 2) return { tasks };
    const schedules = findSchedules(reader, projectId, 0, MAX_SCHEDULES);
    const activeSchedules = countActive(
      schedules.map(({ id }) => id),
      schedules,
    );
    return { tasks, activeSchedules };
  });

  // In its own scope, because only here bodies may be large, and only here the fixed variant needs the raw bytes.
  void app.register(function largeBodies(scope, _options, done) {
    const parseJsonBody = scope.getDefaultJsonParser('error', 'error');
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, parsed) => {
      if (isFixed(request.query)) parsed(null, body);
      else void parseJsonBody(request, body.toString('utf8'), parsed);
    });
    scope.post('/tasks', { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
      const admitted = isFixed(request.query)
        ? await admitDefinitionInSlices(request.body as Buffer)
        : admitDefinition(request.body);
      const task = await storeTask(admitted);
      return reply.code(201).send(task);
    });
    done();
  });

  function findProjectId(slug: string): number {
    const row = reader.prepare('SELECT id FROM projects WHERE slug = ?').get(slug);
    if (!row) throw new NotFoundError(`There is no project "${slug}".`);
    return Number(row['id']);
  }

  async function storeTask({ definition, sizeBytes, text }: AdmittedDefinition): Promise<Record<string, unknown>> {
    const projectId = findProjectId(definition.project);
    const id = await transactions.run('create-task', (transaction) => {
      const insert = transaction.prepare(
        `INSERT INTO tasks (project_id, name, definition, definition_bytes, created_at) VALUES (?, ?, ?, ?, ?)`,
      );
      const id = Number(insert.run(projectId, definition.name, text, sizeBytes, Date.now()).lastInsertRowid);
      transaction.prepare("UPDATE tasks SET definition = '' WHERE id = ?").run(id - KEPT_DEFINITIONS);
      return id;
    });
    return { id, name: definition.name, stepCount: definition.steps.length, sizeBytes };
  }
}
