import type { BlockFilter } from '../../model/filter.js';
import { flameGraph, type FlameNode } from '../../model/flame.js';
import type { BlockDetail, PageState, PageUpdate } from '../../model/page.js';
import { applyUpdate } from '../model/apply-update.js';
import type { DataSource } from './source.js';

/** Interval at which the time axis moves on when no data arrives. */
const CLOCK_INTERVAL_MS = 2_000;

/** Reads from the `loopwatch serve` that served the page. */
export function liveSource(): DataSource {
  return {
    subscribe(onState, onConnection) {
      let state: PageState | undefined;
      let missed: PageUpdate[] = [];
      const take = (update: PageUpdate): void => {
        if (!state) {
          missed.push(update);
          return;
        }
        state = applyUpdate(state, update, Date.now());
        onState(state);
      };
      const events = new EventSource('/api/events');
      // The stream opens first: updates that arrive while the state loads are applied to it afterwards.
      events.onopen = () => {
        state = undefined;
        void getJson<PageState>('/api/state').then((loaded) => {
          if (!loaded) return;
          state = loaded;
          onState(loaded);
          onConnection('live');
          missed.forEach(take);
          missed = [];
        });
      };
      events.onmessage = (event: MessageEvent<string>) => {
        take(JSON.parse(event.data) as PageUpdate);
      };
      events.onerror = () => {
        onConnection('lost');
      };
      const clock = setInterval(() => {
        if (state) onState({ ...state });
      }, CLOCK_INTERVAL_MS);
      return () => {
        clearInterval(clock);
        events.close();
      };
    },
    async flame(filter) {
      return (await getJson<FlameNode>(`/api/flame?${queryOf(filter)}`)) ?? flameGraph([]);
    },
    detail: (blockId) => getJson<BlockDetail>(`/api/block?id=${encodeURIComponent(blockId)}`),
  };
}

function queryOf(filter: BlockFilter): string {
  const fields = Object.entries(filter) as [string, string | number | undefined][];
  return new URLSearchParams(
    fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
}

/** Undefined if the server is gone, which the connection's state shows already, or has no such entry. */
async function getJson<T>(url: string): Promise<T | undefined> {
  try {
    const response = await fetch(url);
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}
