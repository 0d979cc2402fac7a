// A program whose four threads of libuv's pool wait for FIFOs that are opened by no one, two seconds in three, until it
// gets SIGUSR2, and then ends. It uses hardly any CPU. Only
// SIGKILL ends it earlier: at its exit, Node.js waits for the threads of the pool.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const directory = mkdtempSync(path.join(tmpdir(), 'loopwatch-full-pool-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const fifos = [1, 2, 3, 4].map((number) => path.join(directory, `fifo-${number}`));
execFileSync('mkfifo', fifos);

let isOver = false;
process.on('SIGUSR2', () => (isOver = true));
while (!isOver) {
  for (const fifo of fifos) open(fifo, constants.O_RDONLY, (_, file) => closeSync(file));
  await sleep(2000);
  // As a reader and a writer, it waits for no one.
  for (const fifo of fifos) closeSync(openSync(fifo, constants.O_RDWR));
  await sleep(1000);
}
