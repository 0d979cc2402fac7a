/**
 * A sign-up hashes its password with scrypt, synchronously, in the handler of the request.
 * @culprit hashPassword
 * @cause native
 * @parent POST
 * @http
 */
import { randomBytes, scryptSync } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import truth from '../kit/truth.cjs';

// <culprit>
function hashPassword(password) {
  const salt = randomBytes(16);
  const hash = scryptSync(password, salt, 64, { N: 2 ** 17, maxmem: 2 ** 28 });
  return `${salt.toString('hex')}:${hash.toString('hex')}`;
}
// </culprit>

const server = http.createServer((request, response) => {
  request.resume().on('end', () => {
    truth.begin();
    const stored = hashPassword('correct horse');
    truth.end();
    response.writeHead(201).end(stored.slice(0, 8));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
await sleep(300);
await new Promise((resolve) => {
  const options = { port: server.address().port, host: '127.0.0.1', method: 'POST', agent: false };
  http.request(options, (response) => response.resume().on('end', resolve)).end('{}');
});
server.close();
