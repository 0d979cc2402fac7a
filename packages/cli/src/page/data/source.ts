import type { BlockFilter } from '../../model/filter.js';
import type { FlameNode } from '../../model/flame.js';
import type { BlockDetail, PageState } from '../../model/page.js';

export type Connection = 'report' | 'connecting' | 'live' | 'lost';

/** Source of the page's data: a running `loopwatch serve`, or the report itself. */
export interface DataSource {
  /** Calls back with the first state and at each change. Returns a function that ends the subscription. */
  subscribe(onState: (state: PageState) => void, onConnection: (connection: Connection) => void): () => void;
  flame(filter: BlockFilter): Promise<FlameNode>;
  /** Undefined if the block was evicted. */
  detail(blockId: string): Promise<BlockDetail | undefined>;
}
