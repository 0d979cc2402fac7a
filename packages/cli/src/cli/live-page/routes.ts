import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';

import { type BlockFilter, filterBlocks, rangeOf } from '../../model/filter.js';
import { flameGraph } from '../../model/flame.js';
import { groupVictimsOfBlocks } from '../../model/victims.js';
import { type BlockDetail, type CulpritDetail, type PageState, rowOf } from '../../model/page.js';
import { withKnownKinds } from '../files/kinds.js';
import { PAGE_FILE } from '../files/page-file.js';
import { collectSources } from '../files/source-lines.js';
import { answer } from '../http/answer.js';
import type { Handler } from '../http/server.js';
import { victimsOf } from '../store/ingest-spans.js';
import { instancesOf, lagPointsOf, seenInstancesOf, type Store, traceOf } from '../store/store.js';
import type { EventStream } from './event-stream.js';
import { answerProfile, PPROF_PATH } from './pprof-route.js';

export interface PageOptions {
  readonly version: string;
  readonly startedMs: number;
  readonly jaegerUrl: string | undefined;
  /** Sentences for the head of the page, as long as they hold. */
  readonly remarks: () => readonly string[];
}

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
};
/** Maximum number of spans of a trace that the page receives. */
const MAX_TRACE_SPANS = 2_000;

/** Serves the live page, its data and the stream of changes. */
export function createPageRoutes(store: Store, events: EventStream, options: PageOptions): Handler {
  const routes: Readonly<Record<string, (url: URL) => unknown>> = {
    '/api/state': () => pageState(store, options),
    '/api/flame': (url) => {
      const filter = filterOf(url);
      return flameGraph(filterBlocks(store.blocks.values(), filter, store.instances), rangeOf(filter));
    },
    '/api/culprit': (url) => culpritDetail(store, filterOf(url)),
    '/api/block': (url) => blockDetail(store, url.searchParams.get('id') ?? ''),
    '/api/trace': (url) => traceSpans(store, url.searchParams.get('id') ?? ''),
  };
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const isPage = url.pathname === '/' || url.pathname === '/index.html';
    const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
    const isProfile = url.pathname === PPROF_PATH;
    if (!isPage && !route && !isProfile && url.pathname !== '/api/events') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      send(
        response,
        405,
        'application/json',
        JSON.stringify({ message: `Expected GET, got ${request.method ?? ''}.` }),
      );
    } else if (isPage) {
      send(response, 200, 'text/html; charset=utf-8', readFileSync(PAGE_FILE, 'utf8'));
    } else if (isProfile) {
      const seconds = Number(url.searchParams.get('seconds') ?? NaN);
      void answerProfile(response, store, {
        filter: filterOf(url),
        seconds: seconds > 0 ? seconds : undefined,
        version: options.version,
        startedMs: options.startedMs,
      });
    } else if (route) {
      const body = route(url);
      send(
        response,
        body === undefined ? 404 : 200,
        'application/json',
        JSON.stringify(body ?? { message: 'Not found.' }),
      );
    } else {
      events.connect(response);
    }
    return true;
  };
}

function pageState(store: Store, options: PageOptions): PageState {
  const blocks = withKnownKinds([...store.blocks.values()]).map(rowOf);
  const lag = lagPointsOf(store);
  // Data may be older than the server: restored from the database, or exported late.
  const startedMs = [...blocks, ...lag].reduce((start, item) => Math.min(start, item.startMs), options.startedMs);
  return {
    title: 'Live',
    remarks: options.remarks(),
    version: options.version,
    startedMs,
    droppedBlocks: store.totals.evictedBlocks,
    notKept: { ...store.totals.notKept },
    retentionMs: store.limits.retentionMs,
    maxBlocks: store.limits.maxBlocks,
    ...(options.jaegerUrl !== undefined && { jaegerUrl: options.jaegerUrl }),
    serverMs: Date.now(),
    instances: instancesOf(store),
    seen: seenInstancesOf(store),
    blocks,
    lag,
    threads: [...store.threads.values()],
  };
}

function blockDetail(store: Store, id: string): BlockDetail | undefined {
  const block = store.blocks.get(id);
  if (!block) return undefined;
  return {
    block,
    trace: traceSpans(store, block.traceId ?? ''),
    victims: victimsOf(store, block),
    sources: collectSources([block]),
  };
}

function culpritDetail(store: Store, filter: BlockFilter): CulpritDetail {
  const blocks = filterBlocks(store.blocks.values(), filter, store.instances);
  const byLine = new Map(
    blocks.flatMap(({ culprit, lines = '' }) =>
      culprit ? [[`${culprit.filePath}:${culprit.lineNumber}\n${lines}`, { culprit, lines }]] : [],
    ),
  );
  return {
    victims: groupVictimsOfBlocks(blocks.map((block) => victimsOf(store, block))),
    sources: collectSources(byLine.values()),
  };
}

function traceSpans(store: Store, traceId: string): BlockDetail['trace'] {
  return [...(traceOf(store, traceId)?.spans.values() ?? [])].slice(0, MAX_TRACE_SPANS);
}

/** The filter in a query. Unknown fields and values that are no number where one is expected are ignored. */
function filterOf({ searchParams }: URL): BlockFilter {
  const text = (name: string): Record<string, string> => {
    const value = searchParams.get(name);
    return value === null ? {} : { [name]: value };
  };
  const time = (name: string): Record<string, number> => {
    const value = Number(searchParams.get(name) ?? NaN);
    return Number.isFinite(value) ? { [name]: value } : {};
  };
  return {
    ...text('service'),
    ...text('instance'),
    ...text('cause'),
    ...text('culprit'),
    ...text('text'),
    ...time('fromMs'),
    ...time('toMs'),
  };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  answer(response, status, type, body, SECURITY_HEADERS);
}
