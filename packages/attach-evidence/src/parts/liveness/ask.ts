import { connect } from 'node:net';

const REQUEST = 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n';
const TIMEOUT_MS = 10_000;

/** Asks once by a connection of its own, as a probe does. Returns the time until the whole answer is there, in ms. */
export function ask(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(REQUEST));
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`No answer within ${TIMEOUT_MS} ms.`)));
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    socket.once('error', reject);
    socket.once('close', () => {
      if (answer.startsWith('HTTP/1.1 200 ')) resolve(performance.now() - startedAt);
      else reject(new Error(`Expected an answer with status 200, got: ${answer}`));
    });
  });
}
