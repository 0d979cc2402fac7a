// program.mjs <ms>: waits for that long, 0 for not at all, and prints the CPU that its process has used, in µs.
import { readFileSync, writeSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(1, JSON.stringify({ process: user + system, thread: threadMicroseconds() }));
});
const waitMs = Number(process.argv[2]);
if (waitMs > 0) setTimeout(() => {}, waitMs);

function threadMicroseconds() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e3;
  } catch {
    return undefined; // no Linux
  }
}
