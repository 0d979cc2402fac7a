import type { ChannelRecord } from '../../channel/contract.js';
import { upsertBlock } from './blocks.js';
import { addLag } from './lag.js';
import { type Change, emptyChange, registerInstance, type Store } from './store.js';

/** Takes in what the processes below `loopwatch run` have written. */
export function ingestRecords(store: Store, records: readonly ChannelRecord[]): Change {
  const change = emptyChange();
  for (const record of records) {
    switch (record.type) {
      case 'process':
        // Kept for the whole run: a process that has ended is still in the report.
        registerInstance(store, record.process, Infinity, change);
        break;
      case 'block':
        change.blocks.push(store.blocks.get(upsertBlock(store, record.block))!);
        break;
      case 'lag':
        addLag(store, record.point, change);
        break;
    }
  }
  return change;
}
