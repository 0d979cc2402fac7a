import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LoadCounts {
  readonly sent: number;
  readonly failed: number;
}

const PAUSE_MS = 5;
/** Each of so many requests blocks the server, so that there is something to report. */
const BLOCKS_EACH = 50;

/** Sends one request after the other to a server, until `stop` is called. */
export function startLoad(port: number): { readonly stop: () => Promise<LoadCounts> } {
  const agent = new Agent({ keepAlive: true });
  const stopping = new AbortController();
  let sent = 0;
  let failed = 0;
  const running = (async () => {
    while (!stopping.signal.aborted) {
      sent += 1;
      if (!(await isAnswered(agent, port, sent % BLOCKS_EACH === 0 ? '/page' : '/'))) failed += 1;
      await sleep(PAUSE_MS);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await running;
      agent.destroy();
      return { sent, failed };
    },
  };
}

export function isAnswered(agent: Agent | undefined, port: number, route: string): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: route, ...(agent && { agent }) }, (response) => {
      response.on('error', () => {
        resolve(false);
      });
      response.resume().on('end', () => {
        resolve(response.statusCode === 200);
      });
    }).on('error', () => {
      resolve(false);
    });
  });
}
