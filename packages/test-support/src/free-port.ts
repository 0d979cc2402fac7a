import { createServer } from 'node:net';

/**
 * Below the ports that a system gives to a program that asks for any, and to each outgoing connection: Linux takes them
 * from 32768 on, macOS from 49152 on. So a port that is free stays free until the program of the test listens there.
 */
const FIRST_PORT = 20_000;
/** Test files that run at the same time have ports of their own. */
const PORTS_OF_WORKER = 1_250;
const MAX_WORKERS = 8;

const firstOfWorker = FIRST_PORT + (Number(process.env['JEST_WORKER_ID'] ?? 0) % MAX_WORKERS) * PORTS_OF_WORKER;
/** Somewhere in them, for the tests of another checkout. */
let next = firstOfWorker + Math.floor(Math.random() * PORTS_OF_WORKER);

/** A port of 127.0.0.1 on which nothing listens, and which the system gives to no one else. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** As many of them as are wanted, one after the other. */
export async function freePorts(count: number): Promise<readonly number[]> {
  for (let tried = 0; tried < PORTS_OF_WORKER; tried += count) {
    const ports = take(count);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports;
  }
  throw new Error(
    `Expected ${count} free ports in a row from ${firstOfWorker} to ${firstOfWorker + PORTS_OF_WORKER - 1}, found none.`,
  );
}

function take(count: number): number[] {
  if (next + count > firstOfWorker + PORTS_OF_WORKER) next = firstOfWorker;
  const first = next;
  next += count;
  return Array.from({ length: count }, (_, index) => first + index);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
