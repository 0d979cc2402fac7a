'use strict';
// Preloaded into the CLI: on SIGUSR2 it loses the connections that it has accepted.
const { subscribe } = require('node:diagnostics_channel');

const accepted = new Set();
subscribe('net.server.socket', ({ socket }) => accepted.add(socket));
process.on('SIGUSR2', () => {
  for (const socket of accepted) socket.destroy();
});
