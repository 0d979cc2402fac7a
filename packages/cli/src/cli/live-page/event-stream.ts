import type { ServerResponse } from 'node:http';

import { type PageUpdate, rowOf } from '../../model/page.js';
import { type Change, emptyChange, isEmptyChange } from '../store/store.js';

/** Sends changes to open pages, in batches: each batch makes the browser draw once. */
export interface EventStream {
  connect(response: ServerResponse): void;
  publish(change: Change): void;
  /** Sends the pending changes; called by a timer. */
  flush(droppedBlocks: number): void;
  close(): void;
}

export const EVENT_INTERVAL_MS = 400;
/** A page that reads too slowly is disconnected at this size; it reconnects and loads the state again. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
/** After so many intervals without changes a comment is sent, so that a dead connection is detected. */
const KEEP_ALIVE_ROUNDS = 40;

export function createEventStream(): EventStream {
  const clients = new Set<ServerResponse>();
  let pending = emptyChange();
  let quietRounds = 0;

  function send(text: string): void {
    for (const client of clients) {
      if (client.writableLength > MAX_PENDING_BYTES) client.destroy();
      else client.write(text);
    }
  }

  return {
    connect(response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 1000\n\n');
      clients.add(response);
      response.once('close', () => clients.delete(response));
    },
    publish(change) {
      if (clients.size === 0) return;
      pending.blocks.push(...change.blocks);
      pending.lag.push(...change.lag);
      pending.instances.push(...change.instances);
      pending.threads.push(...change.threads);
    },
    flush(droppedBlocks) {
      quietRounds = isEmptyChange(pending) ? quietRounds + 1 : 0;
      if (quietRounds === 0) {
        const update: PageUpdate = { ...pending, blocks: pending.blocks.map(rowOf), droppedBlocks };
        send(`data: ${JSON.stringify(update)}\n\n`);
        pending = emptyChange();
      } else if (quietRounds % KEEP_ALIVE_ROUNDS === 0) {
        send(': keep-alive\n\n');
      }
    },
    close() {
      for (const client of clients) client.end();
    },
  };
}
