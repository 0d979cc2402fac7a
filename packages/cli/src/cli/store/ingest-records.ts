import type { ChannelRecord } from '../../channel/contract.js';
import { isReportedAlready, upsertBlock } from './blocks.js';
import { addLag } from './lag.js';
import { addPoolWait } from './pool-waits.js';
import { type Change, emptyChange, registerInstance, type Store } from './store.js';

/** Number of start-ups, of which each thread of each process has one, and of processes that were not watched. */
const MAX_ENTRIES = 10_000;

/** Stores the records that the instrumented processes of `loopwatch run` have written. */
export function ingestRecords(store: Store, records: readonly ChannelRecord[]): Change {
  const change = emptyChange();
  for (const record of records) {
    switch (record.type) {
      case 'process':
        // Never expires: the report also lists processes that have ended.
        registerInstance(store, record.process, Infinity, change);
        break;
      case 'unwatched':
        if (store.unwatched.length < MAX_ENTRIES) store.unwatched.push(record.process);
        break;
      case 'block':
        if (isReportedAlready(store, record.block)) break;
        change.blocks.push(store.blocks.get(upsertBlock(store, record.block, change))!);
        break;
      case 'startUp':
        if (store.startUps.length < MAX_ENTRIES) store.startUps.push(record.startUp);
        break;
      case 'lag':
        addLag(store, record.point, change);
        break;
      case 'threadPool':
        addPoolWait(store, record.wait);
        break;
      case 'end':
      case 'request':
        break; // see BlocksSoFar
    }
  }
  return change;
}
