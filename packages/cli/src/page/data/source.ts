import type { BlockFilter } from '../../model/filter.js';
import type { FlameNode } from '../../model/flame.js';
import type { BlockDetail, PageState } from '../../model/page.js';

export type Connection = 'report' | 'connecting' | 'live' | 'lost';

/** Where the page has its data from: a running `loopwatch serve`, or the report it is part of. */
export interface DataSource {
  /** Calls back at once if there is a state, and at each change. Returns what ends it. */
  subscribe(onState: (state: PageState) => void, onConnection: (connection: Connection) => void): () => void;
  flame(filter: BlockFilter): Promise<FlameNode>;
  /** Undefined: the block is gone. */
  detail(blockId: string): Promise<BlockDetail | undefined>;
}
