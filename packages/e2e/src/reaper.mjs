// Kills the processes of a test's stack when the test's process has ended without stopping them, even by a crash. Reads
// process ids from its standard input, one per line; the input closes when the test's process ends.
import { createInterface } from 'node:readline';
import { rmSync } from 'node:fs';

const [directory] = process.argv.slice(2);
/** @type {Set<number>} */
const pids = new Set();
let isDone = false;

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  if (line === 'done') isDone = true;
  else pids.add(Number(line));
});
lines.on('close', () => {
  if (!isDone) {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Already ended.
      }
    }
  }
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});
