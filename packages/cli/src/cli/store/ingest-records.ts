import type { ChannelRecord } from '../../channel/contract.js';
import { acceptBlock } from '../../model/accept/block.js';
import { acceptInstance, acceptProblem, acceptStartUp, acceptUnwatched } from '../../model/accept/process.js';
import type { Block } from '../../model/types.js';
import { isReportedAlready, upsertBlock } from './blocks.js';
import { addBusyPeriod } from './busy-periods.js';
import { addLag } from './lag.js';
import { addPoolWait } from './pool-waits.js';
import { type Change, emptyChange, registerInstance, type Store } from './store.js';

/** Number of processes, of start-ups, of which each thread has one, of problems, and of processes that were not watched. */
const MAX_ENTRIES = 10_000;
/** Of processes, whose names and paths can be long. */
const MAX_PROCESS_BYTES = 24 * 1024 * 1024;

/** Stores the records that the instrumented processes of `loopwatch run` have written. */
export function ingestRecords(store: Store, records: readonly ChannelRecord[]): Change {
  const change = emptyChange();
  for (const record of records) {
    switch (record.type) {
      case 'process':
        ingestProcess(store, record.process, change);
        break;
      case 'unwatched':
        keep(store.unwatched, acceptUnwatched(record.process));
        break;
      case 'problem':
        keep(store.problems, acceptProblem(record.problem));
        break;
      case 'block':
        ingestBlock(store, record.block, change);
        break;
      case 'startUp':
        keep(store.startUps, acceptStartUp(record.startUp));
        break;
      case 'lag':
        addLag(store, record.point, change);
        break;
      case 'busy':
        addBusyPeriod(store, record.period);
        break;
      case 'threadPool':
        addPoolWait(store, record.wait);
        break;
      case 'end':
      case 'request':
        break; // see OngoingBlocks
      case 'workerStarted':
      case 'workerWatched':
        break; // see UnwatchedWorkers
    }
  }
  return change;
}

function ingestProcess(store: Store, received: unknown, change: Change): void {
  const process = acceptInstance(received);
  if (!process) return;
  const { instances, totals } = store;
  const isFull = instances.size >= MAX_ENTRIES || instances.bytes >= MAX_PROCESS_BYTES;
  // Never expires: the report also lists processes that have ended.
  if (!isFull || instances.has(process.id)) registerInstance(store, process, Infinity, change);
  else totals.notKept.instances += 1;
}

function keep<T>(list: T[], entry: T | undefined): void {
  if (entry !== undefined && list.length < MAX_ENTRIES) list.push(entry);
}

function ingestBlock(store: Store, received: Block, change: Change): void {
  const block = acceptBlock(received);
  if (block && isReportedAlready(store, block)) return;
  const stored = store.blocks.get(upsertBlock(store, block ?? received, change) ?? '');
  if (stored) change.blocks.push(stored);
}
