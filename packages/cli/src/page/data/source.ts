import type { BlockFilter } from '../../model/blocks/filter.js';
import type { BusyView } from '../../model/busy-time/busy-view.js';
import type { BlockDetail, CulpritDetail, PageState } from '../../model/live/page.js';
import type { FlameNode } from '../../model/stacks/flame.js';

/** `ended`: Loopwatch has said that it ends. `lost`: it does not answer. */
export type Connection = 'report' | 'connecting' | 'live' | 'lost' | 'ended';

/** The source does not answer. */
export type Unreachable = 'unreachable';

/** Source of the page's data: a running `loopwatch serve`, or the report itself. */
export interface DataSource {
  /** Calls back with the first state and at each change. Returns a function that ends the subscription. */
  subscribe(onState: (state: PageState) => void, onConnection: (connection: Connection) => void): () => void;
  flame(filter: BlockFilter): Promise<FlameNode | Unreachable>;
  /** Busy time of the filter's instances, in its range. */
  busy(filter: BlockFilter): Promise<BusyView | Unreachable>;
  /** Of the blocks of the filter's culprit. */
  culprit(filter: BlockFilter): Promise<CulpritDetail | Unreachable>;
  /** Undefined if the block was evicted. */
  detail(blockId: string): Promise<BlockDetail | Unreachable | undefined>;
}

/** Whether the page's data is whole and, on the live page, goes on. */
export function isConnected(connection: Connection): boolean {
  return connection !== 'lost' && connection !== 'ended';
}
