import type { DatabaseSync } from 'node:sqlite';

import { type Random, createRandom } from '../shared/random.js';

export interface SeedSize {
  /** Logs of run 1, whose trace view the traffic requests. */
  readonly logs: number;
  readonly schedules: number;
  readonly runsPerTask: number;
}

export const DEFAULT_SEED_SIZE: SeedSize = { logs: 20_000, schedules: 8000, runsPerTask: 2000 };

/** 1 November 2026, 00:00 UTC. A fixed date, so that the seed data is the same in every process. */
const EPOCH_MS = Date.UTC(2026, 10, 1);

const PROJECTS = [
  { slug: 'billing', name: 'Billing' },
  { slug: 'warehouse', name: 'Warehouse' },
];
const TASK_NAMES = ['nightly-import', 'send-invoices', 'sync-stock', 'build-report', 'charge-cards', 'clean-up'];
const CRONS = ['*/5 * * * *', '0 3 * * *', '15 2 * * 1-5', '0 0 1 * *', '30 */4 * * *', '0 9 * * 1'];
const TIMEZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Sydney'];
const MESSAGES = ['fetch page', 'parse rows', 'upsert batch', 'call webhook', 'render template', 'wait for lock'];

/** Fills an empty database inside the transaction of the caller. */
export function seedDatabase(database: DatabaseSync, size: SeedSize = DEFAULT_SEED_SIZE): void {
  const random = createRandom(20_261_101);
  seedProjectsAndTasks(database);
  seedSchedules(database, size.schedules, random);
  seedRuns(database, size.runsPerTask, random);
  seedLogs(database, size.logs, random);
}

function seedProjectsAndTasks(database: DatabaseSync): void {
  const insertProject = database.prepare('INSERT INTO projects (slug, name) VALUES (?, ?)');
  const insertTask = database.prepare(
    'INSERT INTO tasks (project_id, name, definition, definition_bytes, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  for (const project of PROJECTS) {
    const { lastInsertRowid: projectId } = insertProject.run(project.slug, project.name);
    for (const name of TASK_NAMES) {
      const definition = JSON.stringify({ project: project.slug, name, steps: [] });
      insertTask.run(projectId, name, definition, Buffer.byteLength(definition), EPOCH_MS);
    }
  }
}

/** All schedules belong to the first project, which stands for a customer whose data has grown. */
function seedSchedules(database: DatabaseSync, count: number, random: Random): void {
  const insert = database.prepare(
    'INSERT INTO schedules (project_id, task_id, cron, timezone, active) VALUES (1, ?, ?, ?, ?)',
  );
  for (let index = 0; index < count; index++) {
    const taskId = 1 + random.integer(TASK_NAMES.length);
    insert.run(taskId, random.pick(CRONS), random.pick(TIMEZONES), random.chance(0.9) ? 1 : 0);
  }
}

function seedRuns(database: DatabaseSync, runsPerTask: number, random: Random): void {
  const insert = database.prepare('INSERT INTO runs (task_id, status, created_at, duration_ms) VALUES (?, ?, ?, ?)');
  const taskCount = PROJECTS.length * TASK_NAMES.length;
  for (let index = 0; index < runsPerTask * taskCount; index++) {
    const taskId = 1 + (index % taskCount);
    const status = random.chance(0.95) ? 'succeeded' : 'failed';
    insert.run(taskId, status, EPOCH_MS + index * 60_000, 50 + random.integer(60_000));
  }
}

/** One long run: a tree of spans in which the parent of a log is one of the 40 logs before it. */
function seedLogs(database: DatabaseSync, count: number, random: Random): void {
  const insert = database.prepare(
    `INSERT INTO logs (run_id, span_id, parent_span_id, level, message, started_at, duration_ms)
     VALUES (1, ?, ?, ?, ?, ?, ?)`,
  );
  const spanIds: string[] = [];
  for (let index = 0; index < count; index++) {
    spanIds.push(random.hex(16));
    const parent = index === 0 ? null : spanIds[Math.max(0, index - 1 - random.integer(40))]!;
    const level = random.chance(0.97) ? 'info' : 'warn';
    insert.run(spanIds[index]!, parent, level, random.pick(MESSAGES), EPOCH_MS + index * 5, random.integer(200));
  }
}
