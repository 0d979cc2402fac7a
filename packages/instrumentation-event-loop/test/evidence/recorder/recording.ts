import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

import { toPlain, type Captured } from './to-plain.js';

/** Where the records go, one JSON text a line. */
const output = process.env.LOOPWATCH_RECORDING;
const captured: Captured[] = [];
let hasListener = false;

/**
 * Keeps what was captured until the process ends, because writing it would change what is recorded. A worker thread,
 * which may be terminated at any moment, writes at once.
 */
export function record(next: Captured): void {
  if (output === undefined) return;
  captured.push(next);
  if (!isMainThread) write();
  else if (!hasListener) {
    hasListener = true;
    process.on('exit', write);
  }
}

function write(): void {
  const lines = captured.splice(0).map((each) => `${JSON.stringify(toPlain(each))}\n`);
  appendFileSync(output!, lines.join(''));
}
