// Ends the processes of a test's stack when the test's own process is gone without having done so, however it went.
// Reads process ids, one a line, from its standard input; the input closes when the owner dies.
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
        // Gone already.
      }
    }
  }
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});
