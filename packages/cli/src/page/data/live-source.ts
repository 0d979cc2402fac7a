import type { BlockFilter } from '../../model/filter.js';
import { flameGraph, type FlameNode } from '../../model/flame.js';
import type { BlockDetail, PageState, PageUpdate } from '../../model/page.js';
import { applyUpdate } from '../model/apply-update.js';
import type { DataSource } from './source.js';

/** How often the page moves on when nothing comes, so that the time axis does not stand still. */
const CLOCK_INTERVAL_MS = 2_000;

/** The data of the server that the page came from. */
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
      // The stream is opened first: what comes while the state is loaded is applied to it afterwards.
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

/** Undefined when the server is gone or has no such thing: the connection's state already says so. */
async function getJson<T>(url: string): Promise<T | undefined> {
  try {
    const response = await fetch(url);
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}
