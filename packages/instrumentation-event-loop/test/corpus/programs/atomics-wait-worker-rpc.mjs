/**
 * A formatter that is only asynchronous is called synchronously: a worker does it, the caller sleeps.
 * @culprit formatSync
 * @cause waiting
 * @parent format-file
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';
import { trace } from '@opentelemetry/api';
import truth from '../kit/truth.cjs';

const signal = new Int32Array(new SharedArrayBuffer(4));
const { port1, port2 } = new MessageChannel();
const worker = new Worker(
  `const { workerData: { signal, port } } = require('node:worker_threads');
   port.on('message', (text) => setTimeout(() => {
     port.postMessage(text.trim());
     Atomics.store(signal, 0, 1);
     Atomics.notify(signal, 0);
   }, 450));`,
  { eval: true, execArgv: [], workerData: { signal, port: port2 }, transferList: [port2] },
);
worker.unref();

// <culprit>
function formatSync(text) {
  port1.postMessage(text);
  Atomics.wait(signal, 0, 0, 5000);
  return receiveMessageOnPort(port1).message;
}
// </culprit>

await trace.getTracer('editor').startActiveSpan('format-file', async (span) => {
  await sleep(400);
  truth.begin();
  formatSync('  const a = 1;  ');
  truth.end();
  span.end();
});
