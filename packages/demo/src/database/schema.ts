/** The tables of a small task runner: projects own tasks, tasks have schedules and runs, runs write logs. */
export const SCHEMA_SQL = `
CREATE TABLE projects (
  id    INTEGER PRIMARY KEY,
  slug  TEXT NOT NULL UNIQUE,
  name  TEXT NOT NULL
) STRICT;

CREATE TABLE tasks (
  id               INTEGER PRIMARY KEY,
  project_id       INTEGER NOT NULL REFERENCES projects (id),
  name             TEXT NOT NULL,
  definition       TEXT NOT NULL,
  definition_bytes INTEGER NOT NULL,
  created_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_by_project ON tasks (project_id);

CREATE TABLE schedules (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  cron       TEXT NOT NULL,
  timezone   TEXT NOT NULL,
  active     INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_by_project ON schedules (project_id, id);

CREATE TABLE runs (
  id           INTEGER PRIMARY KEY,
  task_id      INTEGER NOT NULL REFERENCES tasks (id),
  status       TEXT NOT NULL CHECK (status IN ('pending', 'queued', 'running', 'succeeded', 'failed')),
  created_at   INTEGER NOT NULL,
  duration_ms  INTEGER,
  payload_file TEXT
) STRICT;
CREATE INDEX runs_by_task ON runs (task_id, id);

CREATE TABLE logs (
  id             INTEGER PRIMARY KEY,
  run_id         INTEGER NOT NULL REFERENCES runs (id),
  span_id        TEXT NOT NULL,
  parent_span_id TEXT,
  level          TEXT NOT NULL CHECK (level IN ('debug', 'info', 'warn', 'error')),
  message        TEXT NOT NULL,
  started_at     INTEGER NOT NULL,
  duration_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX logs_by_run ON logs (run_id, id);
`;
