'use strict';
// node probes.cjs <batches>: the CPU that this process takes to answer a probe. The watchdog's thread answers /livez and
// /readyz, the event loop answers /healthz. A child process asks, over a connection of its own for each probe, as kubelet
// does. Batches in random order; one batch asks nothing for as long. Prints µs of CPU for each probe, by path.
const { fork } = require('node:child_process');
const http = require('node:http');
const net = require('node:net');
const { once } = require('node:events');

const PROBES = 200;

if (process.argv[2] === 'client') answerRequests();
else void main(Number(process.argv[2]));

async function main(batches) {
  const livenessPort = await freePort();
  require('./support/loopwatch.cjs').startLoopwatch({ livenessPort }, () => undefined);
  const server = http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await untilListening(livenessPort);
  const client = fork(__filename, ['client'], { execArgv: [] });
  const paths = { '/livez': livenessPort, '/readyz': livenessPort, '/healthz': server.address().port };
  const ask = async (path, count) => {
    client.send({ path, port: paths[path], count });
    return (await once(client, 'message'))[0];
  };
  for (const path of Object.keys(paths)) await ask(path, 3 * PROBES); // V8 optimises
  const microseconds = Object.fromEntries(Object.keys(paths).map((path) => [path, []]));
  for (let batch = 0; batch < batches; batch++) {
    for (const path of Object.keys(paths).sort(() => Math.random() - 0.5)) {
      const before = process.cpuUsage();
      const lastedMs = await ask(path, PROBES);
      const asked = sumOf(process.cpuUsage(before));
      const idleBefore = process.cpuUsage();
      await new Promise((resolve) => setTimeout(resolve, lastedMs));
      microseconds[path].push((asked - sumOf(process.cpuUsage(idleBefore))) / PROBES);
    }
  }
  process.stdout.write(`${JSON.stringify({ microseconds })}\n`, () => process.exit(0));
}

function sumOf({ user, system }) {
  return user + system;
}

function answerRequests() {
  process.on('message', async ({ path, port, count }) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) {
      const [response] = await once(http.get({ host: '127.0.0.1', port, path, agent: false }), 'response');
      if (response.statusCode !== 200) throw new Error(`Expected 200 of ${path}, got ${response.statusCode}.`);
      response.resume();
      await once(response, 'end');
    }
    process.send(performance.now() - start);
  });
  process.on('disconnect', () => process.exit(0));
}

/** The watchdog starts some time after the instrumentation. */
async function untilListening(port) {
  for (let tries = 0; tries < 100; tries++) {
    const socket = net.connect(port, '127.0.0.1');
    const isListening = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isListening) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Expected the watchdog to listen on port ${port}, but it does not.`);
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
