import type { DatabaseSync } from 'node:sqlite';

export interface Schedule {
  readonly id: number;
  readonly task: string;
  readonly cron: string;
  readonly timezone: string;
  readonly active: 0 | 1;
}

/** Schedules of a project in the order of their ids, starting after the given id. */
export function findSchedules(reader: DatabaseSync, projectId: number, after: number, limit: number): Schedule[] {
  const statement = reader.prepare(
    `SELECT schedules.id, tasks.name AS task, cron, timezone, active
     FROM schedules JOIN tasks ON tasks.id = schedules.task_id
     WHERE schedules.project_id = ? AND schedules.id > ? ORDER BY schedules.id LIMIT ?`,
  );
  return statement.all(projectId, after, limit) as unknown as Schedule[];
}
