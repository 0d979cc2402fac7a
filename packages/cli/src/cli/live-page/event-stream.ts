import type { ServerResponse } from 'node:http';

import { type PageUpdate, rowOf } from '../../model/live/page.js';
import { withKnownKinds } from '../files/kinds.js';
import type { SourceFiles } from '../files/source-files.js';
import { answerMessage } from '../http/answer.js';
import { type Change, emptyChange, isEmptyChange, type Store } from '../store/store.js';

/** Sends changes to open pages, in batches: each batch makes the browser draw once. */
export interface EventStream {
  connect(response: ServerResponse): void;
  publish(change: Change): void;
  /** Sends the pending changes; called by a timer. */
  flush(totals: Pick<Store['totals'], 'evictedBlocks' | 'notKept'>, remarks: readonly string[]): void;
  /** Sends the pages the event that Loopwatch ends. */
  close(): void;
}

export const EVENT_INTERVAL_MS = 400;
/** Pages that are open at once. */
const MAX_CLIENTS = 100;
/** A page that reads too slowly is disconnected at this size; it reconnects and loads the state again. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
/** The same for all pages together: the slowest is disconnected first. */
const MAX_PENDING_BYTES_OF_ALL = 32 * 1024 * 1024;
const END_EVENT = 'event: end\ndata: {}\n\n';
/** After so many intervals without changes a comment is sent, so that a dead connection is detected. */
const KEEP_ALIVE_ROUNDS = 40;

export function createEventStream(files: SourceFiles): EventStream {
  const clients = new Set<ServerResponse>();
  let pending = emptyChange();
  let quietRounds = 0;
  let sentRemarks = '';

  function send(text: string): void {
    let bytes = 0;
    const slowestFirst = [...clients].sort((a, b) => b.writableLength - a.writableLength);
    for (const client of clients) bytes += client.writableLength + text.length;
    for (const client of slowestFirst) {
      const length = client.writableLength;
      if (length > MAX_PENDING_BYTES || (bytes > MAX_PENDING_BYTES_OF_ALL && length > 0)) {
        bytes -= length + text.length;
        clients.delete(client);
        client.destroy();
      } else client.write(text);
    }
  }

  return {
    connect(response) {
      if (clients.size >= MAX_CLIENTS) {
        answerMessage(response, 503, `More than ${MAX_CLIENTS} pages are open: close some.`, { 'retry-after': '5' });
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 1000\n\n');
      clients.add(response);
      response.once('close', () => clients.delete(response));
    },
    publish(change) {
      if (clients.size === 0) return;
      // A request can bring more than a call takes arguments.
      append(pending.blocks, change.blocks);
      append(pending.removedBlocks, change.removedBlocks);
      append(pending.lag, change.lag);
      append(pending.instances, change.instances);
      append(pending.threads, change.threads);
      append(pending.seen, change.seen);
    },
    flush({ evictedBlocks, notKept }, remarks) {
      const hasNewRemarks = remarks.join('\n') !== sentRemarks;
      sentRemarks = remarks.join('\n');
      quietRounds = isEmptyChange(pending) && !hasNewRemarks ? quietRounds + 1 : 0;
      if (quietRounds === 0) {
        const update: PageUpdate = {
          ...pending,
          // Of a block that has changed several times, the last state counts.
          blocks: withKnownKinds([...new Map(pending.blocks.map((block) => [block.id, block])).values()], files).map(
            rowOf,
          ),
          // Each request adds one; the last of an instance counts.
          seen: [...new Map(pending.seen.map((seen) => [seen.instance, seen])).values()],
          droppedBlocks: evictedBlocks,
          notKept,
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

/** `push(...items)` throws above some 100,000 items. */
function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
