import { open, rm } from 'node:fs/promises';
import path from 'node:path';

import type { ServiceContext } from '../service/context.js';
import { NotFoundError } from '../http/errors.js';

/** A queued run is removed when this many newer runs exist, because traffic may run for days. */
export const MAX_QUEUED_RUNS = 1000;

/**
 * Creates a run and stores its payload in one transaction: a run is queued only after its payload is synced to disk.
 * Returns the id of the run.
 */
export async function triggerRun(
  { database, payloadDirectory }: ServiceContext,
  taskId: number,
  payload: Record<string, unknown>,
): Promise<number> {
  const runId = await database.transactions.run('trigger-run', async (transaction) => {
    if (!transaction.prepare('SELECT 1 FROM tasks WHERE id = ?').get(taskId)) {
      throw new NotFoundError(`There is no task ${taskId}.`);
    }
    const insert = transaction.prepare("INSERT INTO runs (task_id, status, created_at) VALUES (?, 'pending', ?)");
    const id = Number(insert.run(taskId, Date.now()).lastInsertRowid);
    await storeDurably(path.join(payloadDirectory, payloadFileOf(id)), JSON.stringify(payload));
    transaction.prepare("UPDATE runs SET status = 'queued', payload_file = ? WHERE id = ?").run(payloadFileOf(id), id);
    const dropOld = transaction.prepare(
      `DELETE FROM runs
       WHERE id = ? AND status = 'queued' AND NOT EXISTS (SELECT 1 FROM logs WHERE run_id = runs.id)`,
    );
    dropOld.run(id - MAX_QUEUED_RUNS);
    return id;
  });
  await rm(path.join(payloadDirectory, payloadFileOf(runId - MAX_QUEUED_RUNS)), { force: true });
  return runId;
}

function payloadFileOf(runId: number): string {
  return `run-${runId}.json`;
}

async function storeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
