import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { blocksOfTraces } from '../blocks.ts';
import type { ReportedBlock, TraceRequest } from '../blocks.ts';

export interface OtlpReceiver {
  readonly url: string;
  readonly blocks: readonly ReportedBlock[];
  readonly close: () => Promise<void>;
}

/** Receives OTLP/HTTP JSON and keeps the blocks of its traces. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const blocks: ReportedBlock[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces') {
        blocks.push(...blocksOfTraces(JSON.parse(Buffer.concat(chunks).toString('utf8')) as TraceRequest));
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    blocks,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
