'use strict';
/**
 * A protocol parser appends each chunk to one buffer and searches it from its start, in a socket's data event.
 * @culprit takeFrames
 * @cause javascript native gc
 * @parent none
 */
const net = require('node:net');
const truth = require('../kit/truth.cjs');

let pending = Buffer.alloc(0);

// <culprit>
function takeFrames(chunk) {
  truth.begin();
  const until = performance.now() + 400;
  const frames = [];
  while (performance.now() < until) {
    pending = Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf('\r\n'); end !== -1 && frames.length < 10_000; end = pending.indexOf('\r\n')) {
      frames.push(pending.subarray(0, end));
      pending = pending.subarray(end + 2);
    }
  }
  truth.end();
  return frames;
}
// </culprit>

const server = net.createServer((socket) => {
  socket.once('data', (chunk) => {
    takeFrames(chunk);
    socket.end();
    server.close();
  });
});

server.listen(0, '127.0.0.1', () => {
  setTimeout(() => {
    net
      .connect(server.address().port, '127.0.0.1')
      .on('data', () => {})
      .write('PING 1\r\nPING 2\r\n'.repeat(500));
  }, 300);
});
