import { connect } from 'node:net';

const TIMEOUT_MS = 20_000;

/**
 * Sends bytes as they are; resolves with all that came back when the head of the answer or the end has come. `patienceMs`: it
 * gives up after that time, and resolves.
 */
export function rawRequest(port: number, bytes: string | Buffer, patienceMs?: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(patienceMs ?? TIMEOUT_MS, () => {
      socket.destroy();
      if (patienceMs !== undefined) return;
      reject(new Error(`Expected an answer or the end of the connection within ${TIMEOUT_MS} ms, got none.`));
    });
    let answer = '';
    socket.once('connect', () => {
      if (typeof bytes === 'string') socket.write(bytes, 'latin1');
      else socket.write(bytes);
    });
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
    });
    socket.on('close', () => {
      resolve(answer);
    });
  });
}

/** The status of an answer; undefined if the connection ended without one. */
export function statusOf(answer: string): number | undefined {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
  return status === undefined ? undefined : Number(status);
}
