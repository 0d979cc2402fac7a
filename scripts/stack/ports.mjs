import { createServer } from 'node:net';

/** Every port of the stack, with its default number. */
export const defaultPorts = Object.freeze({
  otlpHttp: 4318,
  otlpGrpc: 4317,
  collectorHealth: 13133,
  jaegerQuery: 16686,
  jaegerQueryGrpc: 16685,
  jaegerOtlp: 14317,
  jaegerHealth: 13134,
  prometheus: 9090,
  alertmanager: 9093,
});

/** @typedef {{ readonly [Name in keyof typeof defaultPorts]: number }} Ports */

/** Ports are dealt to the workers of Jest by the hundred: the system itself prefers odd ones. */
const PORTS_AT_A_TIME = 100;
const MAX_WORKERS = 4;

/**
 * Finds a free loopback port for each name. All are open at the same time, so that no two names get the same port. Until
 * a program listens there, they are free again: test files that run at the same time get ports of their own.
 * @returns {Promise<Ports>}
 */
export async function freePorts() {
  const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % MAX_WORKERS;
  const isOwn = (/** @type {number} */ port) => Math.floor(port / PORTS_AT_A_TIME) % MAX_WORKERS === worker;
  const names = Object.keys(defaultPorts);
  /** @type {import('node:net').Server[]} */
  const servers = [];
  /** @type {number[]} */
  const ports = [];
  while (ports.length < names.length) {
    const server = await listen(0);
    servers.push(server);
    const port = portOf(server);
    if (isOwn(port)) ports.push(port);
  }
  await Promise.all(servers.map(close));
  return /** @type {any} */ (Object.fromEntries(names.map((name, index) => [name, ports[index]])));
}

/**
 * The ports on which another program listens.
 * @param {Ports} ports
 */
export async function takenPorts(ports) {
  /** @type {{ name: string, port: number }[]} */
  const taken = [];
  for (const [name, port] of Object.entries(ports)) {
    try {
      await close(await listen(port));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') throw error;
      taken.push({ name, port });
    }
  }
  return taken;
}

/**
 * @param {number} port
 * @returns {Promise<import('node:net').Server>}
 */
function listen(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}

/** @param {import('node:net').Server} server */
function close(server) {
  return new Promise((resolve) => server.close(resolve));
}

/** @param {import('node:net').Server} server */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address !== 'object') throw new Error('Expected a listening TCP server.');
  return address.port;
}
