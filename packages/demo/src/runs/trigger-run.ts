import { open } from 'node:fs/promises';
import path from 'node:path';

import type { ServiceContext } from '../context.js';
import { NotFoundError } from '../http/errors.js';

/**
 * Creates a run and stores its payload, in one transaction: a run is queued only once its payload is safe on disk.
 * Returns the run's id.
 */
export function triggerRun(
  { database, payloadDirectory }: ServiceContext,
  taskId: number,
  payload: Record<string, unknown>,
): Promise<number> {
  return database.transactions.run('trigger-run', async (transaction) => {
    if (!transaction.prepare('SELECT 1 FROM tasks WHERE id = ?').get(taskId)) {
      throw new NotFoundError(`There is no task ${taskId}.`);
    }
    const insert = transaction.prepare("INSERT INTO runs (task_id, status, created_at) VALUES (?, 'pending', ?)");
    const runId = Number(insert.run(taskId, Date.now()).lastInsertRowid);
    const payloadFile = `run-${runId}.json`;
    await storeDurably(path.join(payloadDirectory, payloadFile), JSON.stringify(payload));
    transaction.prepare("UPDATE runs SET status = 'queued', payload_file = ? WHERE id = ?").run(payloadFile, runId);
    return runId;
  });
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
