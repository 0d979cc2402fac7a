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
