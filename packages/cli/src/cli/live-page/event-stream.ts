import type { ServerResponse } from 'node:http';

import { type PageUpdate, rowOf } from '../../model/page.js';
import { withKinds } from '../files/kinds.js';
import { type Change, emptyChange, isEmptyChange } from '../store/store.js';

/** Sends changes to open pages, in batches: each batch makes the browser draw once. */
export interface EventStream {
  connect(response: ServerResponse): void;
  publish(change: Change): void;
  /** Sends the pending changes; called by a timer. */
  flush(droppedBlocks: number, remarks: readonly string[]): void;
  /** Sends the pages the event that Loopwatch ends. */
  close(): void;
}

export const EVENT_INTERVAL_MS = 400;
/** A page that reads too slowly is disconnected at this size; it reconnects and loads the state again. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
const END_EVENT = 'event: end\ndata: {}\n\n';
/** After so many intervals without changes a comment is sent, so that a dead connection is detected. */
const KEEP_ALIVE_ROUNDS = 40;

export function createEventStream(): EventStream {
  const clients = new Set<ServerResponse>();
  let pending = emptyChange();
  let quietRounds = 0;
  let sentRemarks = '';

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
      pending.removedBlocks.push(...change.removedBlocks);
      pending.lag.push(...change.lag);
      pending.instances.push(...change.instances);
      pending.threads.push(...change.threads);
      pending.seen.push(...change.seen);
    },
    flush(droppedBlocks, remarks) {
      const hasNewRemarks = remarks.join('\n') !== sentRemarks;
      sentRemarks = remarks.join('\n');
      quietRounds = isEmptyChange(pending) && !hasNewRemarks ? quietRounds + 1 : 0;
      if (quietRounds === 0) {
        const update: PageUpdate = {
          ...pending,
          blocks: withKinds(pending.blocks).map(rowOf),
          // Each request adds one; the last of an instance counts.
          seen: [...new Map(pending.seen.map((seen) => [seen.instance, seen])).values()],
          droppedBlocks,
          remarks,
        };
        send(`data: ${JSON.stringify(update)}\n\n`);
        pending = emptyChange();
      } else if (quietRounds % KEEP_ALIVE_ROUNDS === 0) {
        send(': keep-alive\n\n');
      }
    },
    close() {
      for (const client of clients) client.end(END_EVENT);
    },
  };
}
