'use strict';
/**
 * A synchronous bridge that polls a message port in a loop instead of sleeping.
 * @culprit askSync
 * @cause javascript
 * @parent none
 * @resource Timeout
 */
const { MessageChannel, receiveMessageOnPort } = require('node:worker_threads');
const truth = require('../kit/truth.cjs');

const { port1, port2 } = new MessageChannel();
port1.unref();
port2.unref();

// <culprit>
function askSync(question, timeoutMs) {
  truth.begin();
  const until = performance.now() + timeoutMs;
  let answer;
  while (!answer && performance.now() < until) answer = receiveMessageOnPort(port1)?.message;
  truth.end();
  return answer ?? `no answer to ${question}`;
}
// </culprit>

setTimeout(() => {
  askSync('ready?', 400);
}, 300);
