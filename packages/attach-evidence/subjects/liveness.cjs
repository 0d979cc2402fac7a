'use strict';
// liveness.cjs <answers> <port> [seconds]
// Answers with Loopwatch's liveness (`livez`), by a bare server of node:net in a worker thread beside it (`both`: on the
// next port), by that alone (`bare`), or does not answer (`off`). Prints `ready`; with a number of seconds, it then
// blocks its main thread for so long, and ends.
const { Worker } = require('node:worker_threads');
const { EventLoopInstrumentation } = require('@loopwatch/instrumentation-event-loop');

const [, , answers, portText, seconds] = process.argv;
const port = Number(portText);
const hasLiveness = answers === 'livez' || answers === 'both';

new EventLoopInstrumentation(hasLiveness ? { livenessPort: port, livenessThresholdMs: 600_000 } : {});

const bareServer = `
  const net = require('node:net');
  const server = net.createServer((connection) => {
    let request = '';
    connection.setEncoding('latin1').on('error', () => {}).on('data', (text) => {
      request += text;
      if (request.includes('\\r\\n\\r\\n')) {
        connection.end('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\nok');
      }
    });
  });
  const { workerData: port, parentPort } = require('node:worker_threads');
  server.listen(port, '127.0.0.1', () => parentPort.postMessage('listens'));
`;
if (answers === 'bare' || answers === 'both') {
  new Worker(bareServer, { eval: true, workerData: answers === 'both' ? port + 1 : port }).once('message', begin);
} else {
  begin();
}

function begin() {
  // The watchdog starts after the first iterations of the event loop.
  setTimeout(() => {
    console.log('ready');
    if (seconds !== undefined) setTimeout(block, 100);
    else setInterval(() => {}, 1000);
  }, 2000);
}

function block() {
  let sum = 0;
  for (const end = performance.now() + Number(seconds) * 1000; performance.now() < end;) sum += Math.sqrt(sum + 1);
  process.exit();
}
