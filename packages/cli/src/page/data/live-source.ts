import type { BlockFilter } from '../../model/blocks/filter.js';
import { type BusyView, busyView } from '../../model/busy-time/busy-view.js';
import type { BlockDetail, CulpritDetail, PageState, PageUpdate } from '../../model/live/page.js';
import { flameGraph, type FlameNode } from '../../model/stacks/flame.js';
import { encodePart } from '../../model/text/well-formed.js';
import { applyUpdate } from '../model/apply-update.js';
import type { DataSource, Unreachable } from './source.js';

/** Interval at which the time axis moves on when no data arrives. */
const CLOCK_INTERVAL_MS = 2_000;

/** When the state, or a stream that the browser has given up, is asked for again: the server may have refused it. */
const RETRY_MS = 3_000;

const subscribeToServer: DataSource['subscribe'] = (onState, onConnection) => {
  let state: PageState | undefined;
  let missed: PageUpdate[] = [];
  /** The server's clock less the browser's. */
  let aheadMs = 0;
  let hasEnded = false;
  let isLive = false;
  /** Number of streams so far: what was asked for an earlier one comes too late. */
  let streams = 0;
  let events: EventSource;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const take = (update: PageUpdate): void => {
    if (!state) {
      missed.push(update);
      return;
    }
    state = applyUpdate(state, update, Date.now() + aheadMs);
    onState(state);
  };
  // The stream opens first: updates that arrive while the state loads are applied to it afterwards.
  const load = async (stream: number): Promise<void> => {
    missed = [];
    const loaded = await getJson<PageState>('/api/state');
    if (stream !== streams) return;
    if (!loaded || loaded === 'unreachable') {
      retry = setTimeout(() => void load(stream), RETRY_MS);
      return;
    }
    isLive = true;
    aheadMs = (loaded.serverMs ?? Date.now()) - Date.now();
    state = loaded;
    onState(loaded);
    onConnection('live');
    missed.forEach(take);
    missed = [];
  };
  const connect = (): void => {
    events = new EventSource('/api/events');
    events.onopen = () => {
      state = undefined;
      hasEnded = false;
      clearTimeout(retry);
      void load((streams += 1));
    };
    events.onmessage = (event: MessageEvent<string>) => {
      take(JSON.parse(event.data) as PageUpdate);
    };
    events.addEventListener('end', () => {
      hasEnded = true;
    });
    // The browser goes on trying to connect, unless the server has answered that it does not want it.
    events.onerror = () => {
      isLive = false;
      streams += 1;
      onConnection(hasEnded ? 'ended' : 'lost');
      clearTimeout(retry);
      if (events.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY_MS);
    };
  };
  connect();
  const clock = setInterval(() => {
    // Without a connection time stands still: what is shown is what was known then.
    if (state && isLive) onState({ ...state });
  }, CLOCK_INTERVAL_MS);
  return () => {
    streams += 1;
    clearInterval(clock);
    clearTimeout(retry);
    events.close();
  };
};

/** Reads from the `loopwatch serve` that served the page. */
export function liveSource(): DataSource {
  const opened = new Map<string, BlockDetail>();
  return {
    subscribe: subscribeToServer,
    async flame(filter) {
      return (await getJson<FlameNode>(`/api/flame?${queryOf(filter)}`)) ?? flameGraph([]);
    },
    async busy(filter) {
      return (await getJson<BusyView>(`/api/busy?${queryOf(filter)}`)) ?? busyView([]);
    },
    culprit: async (filter) =>
      (await getJson<CulpritDetail>(`/api/culprit?${queryOf(filter)}`)) ?? { victims: [], sources: {} },
    async detail(blockId) {
      const loaded = await getJson<BlockDetail>(`/api/block?id=${encodePart(blockId)}`);
      if (typeof loaded === 'object') remember(opened, blockId, loaded);
      // What was opened before stays readable.
      return loaded === 'unreachable' ? (opened.get(blockId) ?? loaded) : loaded;
    },
  };
}

/** Number of blocks whose details stay for when the server does not answer. */
const MAX_REMEMBERED = 100;

function remember<T>(items: Map<string, T>, id: string, item: T): void {
  items.delete(id);
  items.set(id, item);
  if (items.size > MAX_REMEMBERED) items.delete(items.keys().next().value!);
}

function queryOf(filter: BlockFilter): string {
  const fields = Object.entries(filter) as [string, string | number | undefined][];
  return new URLSearchParams(
    fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
}

/** Undefined if the server has no such entry. */
async function getJson<T>(url: string): Promise<T | Unreachable | undefined> {
  try {
    const response = await fetch(url);
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return 'unreachable';
  }
}
