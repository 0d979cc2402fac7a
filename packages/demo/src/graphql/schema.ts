import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type MercuriusContext, mercurius } from 'mercurius';

import type { ServiceContext } from '../service/context.js';
import { isFixed } from '../http/fixed.js';
import { type RankedRun, rankAllByDuration, rankByDuration } from './duration-rank.js';

const SCHEMA = /* GraphQL */ `
  type Query {
    project(slug: String!): Project
  }
  type Project {
    slug: ID!
    name: String!
    tasks: [Task!]!
  }
  type Task {
    id: ID!
    name: String!
    "The latest runs, newest first."
    runs(first: Int! = 20): [Run!]!
  }
  type Run {
    id: ID!
    status: String!
    durationMs: Int!
    "Rank of this run among all finished runs of its task; the fastest has rank 1."
    durationRank: Int!
  }
`;

interface Project {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

interface Task {
  readonly id: number;
  readonly name: string;
  /** All finished runs of the task, newest first. */
  readonly finishedRuns: readonly FinishedRun[];
  ranks?: Map<number, number>;
}

interface FinishedRun extends RankedRun {
  readonly status: string;
}

interface Run extends FinishedRun {
  readonly task: Task;
}

declare module 'mercurius' {
  interface MercuriusContext {
    /** Whether the request asks for the fixed variant. */
    readonly fixed: boolean;
  }
}

const MAX_RUNS_A_TASK = 1000;

/** `POST /graphql`: projects, tasks and runs for the dashboard. */
export function graphqlRoutes(app: FastifyInstance, { database }: ServiceContext): void {
  const { reader } = database;

  void app.register(mercurius, {
    schema: SCHEMA,
    resolvers: {
      Query: { project: (_root: unknown, { slug }: { slug: string }) => findProject(slug) },
      Project: { tasks: (project: Project) => findTasks(project.id) },
      Task: {
        runs: (task: Task, { first }: { first: number }): Run[] =>
          task.finishedRuns.slice(0, Math.min(first, MAX_RUNS_A_TASK)).map((run) => ({ ...run, task })),
      },
      Run: {
        durationRank: (run: Run, _arguments: unknown, { fixed }: MercuriusContext) =>
          fixed ? rankOnce(run) : rankByDuration(run, run.task.finishedRuns),
      },
    },
    context: (request: FastifyRequest) => ({ fixed: isFixed(request.query) }),
    graphiql: false,
  });

  function findProject(slug: string): Promise<Project | undefined> {
    const row = reader.prepare('SELECT id, slug, name FROM projects WHERE slug = ?').get(slug);
    return Promise.resolve(row as Project | undefined);
  }

  function findTasks(projectId: number): Promise<Task[]> {
    const tasks = reader.prepare('SELECT id, name FROM tasks WHERE project_id = ? ORDER BY id LIMIT 6').all(projectId);
    const findRuns = reader.prepare(
      `SELECT id, status, duration_ms AS durationMs FROM runs
       WHERE task_id = ? AND duration_ms IS NOT NULL ORDER BY id DESC`,
    );
    return Promise.resolve(
      tasks.map((task) => ({ ...task, finishedRuns: findRuns.all(task['id']!) }) as unknown as Task),
    );
  }
}

function rankOnce({ id, task }: Run): number {
  task.ranks ??= rankAllByDuration(task.finishedRuns);
  return task.ranks.get(id)!;
}
