'use strict';
/**
 * A login hashes the password with the synchronous function.
 * @culprit hashPassword
 * @cause native
 * @parent login
 */
const crypto = require('node:crypto');
const http = require('node:http');
const { trace } = require('@opentelemetry/api');
const truth = require('../kit/truth.cjs');

const salt = crypto.randomBytes(16);

// At start-up: how many rounds take this machine 350 ms.
const started = performance.now();
crypto.pbkdf2Sync('warm up', salt, 100_000, 64, 'sha512');
const rounds = Math.ceil((100_000 * 350) / (performance.now() - started));

// <culprit>
function hashPassword(password) {
  return crypto.pbkdf2Sync(password, salt, rounds, 64, 'sha512').toString('base64');
}
// </culprit>

function login(password) {
  truth.begin();
  const hash = hashPassword(password);
  truth.end();
  return hash;
}

const server = http.createServer((request, response) => {
  trace.getTracer('auth').startActiveSpan('login', (span) => {
    response.end(login('correct horse battery staple'));
    span.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  setTimeout(() => {
    http.get({ port: server.address().port, host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => server.close());
    });
  }, 300);
});
