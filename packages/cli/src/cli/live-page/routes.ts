import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

import { type BlockFilter, filterBlocks, rangeOf } from '../../model/blocks/filter.js';
import { groupVictimsOfBlocks } from '../../model/blocks/victims.js';
import { busyView, filterPeriods } from '../../model/busy-time/busy-view.js';
import { type BlockDetail, type CulpritDetail, type PageState, rowOf } from '../../model/live/page.js';
import { flameGraph } from '../../model/stacks/flame.js';
import { durationWithin } from '../../model/time-range.js';
import { withKnownKinds } from '../files/kinds.js';
import { PAGE_FILE } from '../files/page-file.js';
import type { SourceFiles } from '../files/source-files.js';
import { collectSources } from '../files/source-lines.js';
import { answer } from '../http/answer.js';
import type { Handler } from '../http/server.js';
import type { RequestTarget } from '../http/target.js';
import { victimsOf } from '../store/ingest-spans.js';
import { busyPeriodsOf, instancesOf, lagPointsOf, seenInstancesOf, type Store, traceOf } from '../store/store.js';
import type { EventStream } from './event-stream.js';
import { answerProfile, PPROF_PATH } from './pprof-route.js';
import { createTokenGate } from './token.js';

export interface PageOptions {
  readonly version: string;
  readonly startedMs: number;
  readonly jaegerUrl: string | undefined;
  /** The source that may be shown. */
  readonly files: SourceFiles;
  /** What page and data want from who asks; undefined: nothing. */
  readonly token: string | undefined;
  /** Sentences for the head of the page, as long as they hold. */
  readonly remarks: () => readonly string[];
}

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  // The address can have the token in it.
  'referrer-policy': 'no-referrer',
};
/** Maximum number of spans of a trace that the page receives. */
const MAX_TRACE_SPANS = 2_000;

/** Serves the live page, its data and the stream of changes. */
export function createPageRoutes(store: Store, events: EventStream, options: PageOptions): Handler {
  const { files } = options;
  const hasToken = createTokenGate(options.token);
  const routes: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
    '/api/state': () => pageState(store, options),
    '/api/flame': (query) => {
      const filter = filterOf(query);
      return flameGraph(filterBlocks(store.blocks.values(), filter, store.instances), rangeOf(filter));
    },
    '/api/busy': (query) => {
      const filter = filterOf(query);
      const range = rangeOf(filter);
      const saturations = filterPeriods(store.saturations.values(), filter, store.instances);
      return busyView(
        filterPeriods(busyPeriodsOf(store), filter, store.instances),
        range,
        saturations.filter((saturation) => !range || durationWithin(saturation, range) > 0),
      );
    },
    '/api/culprit': (query) => culpritDetail(store, files, filterOf(query)),
    '/api/block': (query) => blockDetail(store, files, query.get('id') ?? ''),
    '/api/trace': (query) => traceSpans(store, query.get('id') ?? ''),
  };
  let page: string | undefined;
  return async (request, response, target) => {
    const { path, query } = target;
    const isPage = path === '/' || path === '/index.html';
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const isProfile = path === PPROF_PATH;
    if (!isPage && !route && !isProfile && path !== '/api/events') return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendJson(response, 405, { message: `Expected GET, got ${request.method ?? ''}.` }, { allow: 'GET, HEAD' });
    } else if (!hasToken(request, response, target)) {
      sendJson(response, 401, { message: NO_TOKEN }, { 'www-authenticate': 'Bearer' });
    } else if (isPage) {
      page ??= readFileSync(PAGE_FILE, 'utf8');
      send(response, 200, 'text/html; charset=utf-8', page);
    } else if (isProfile) {
      await answerProfile(response, store, {
        filter: filterOf(query),
        seconds: secondsOf(target),
        version: options.version,
        startedMs: options.startedMs,
      });
    } else if (route) {
      const body = route(query);
      sendJson(response, body === undefined ? 404 : 200, body ?? { message: 'Not found.' });
    } else if (request.method === 'HEAD') {
      send(response, 200, 'text/event-stream', '');
    } else {
      events.connect(response);
    }
    return true;
  };
}

const NO_TOKEN =
  'Expected a token. Open the address that loopwatch serve has printed, which has it, or send it as Authorization: Bearer.';

/** The last seconds, at most those since 1970: more are no dates. */
function secondsOf({ query }: RequestTarget): number | undefined {
  const seconds = Number(query.get('seconds') ?? NaN);
  return seconds > 0 ? Math.min(seconds, Date.now() / 1000) : undefined;
}

function pageState(store: Store, options: PageOptions): PageState {
  const blocks = withKnownKinds([...store.blocks.values()], options.files).map(rowOf);
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

function blockDetail(store: Store, files: SourceFiles, id: string): BlockDetail | undefined {
  const block = store.blocks.get(id);
  if (!block) return undefined;
  return {
    block,
    trace: traceSpans(store, block.traceId ?? ''),
    victims: victimsOf(store, block),
    sources: collectSources([block], files),
  };
}

function culpritDetail(store: Store, files: SourceFiles, filter: BlockFilter): CulpritDetail {
  const blocks = filterBlocks(store.blocks.values(), filter, store.instances);
  const byLine = new Map(
    blocks.flatMap(({ culprit, lines = '' }) =>
      culprit ? [[`${culprit.filePath}:${culprit.lineNumber}\n${lines}`, { culprit, lines }]] : [],
    ),
  );
  return {
    victims: groupVictimsOfBlocks(blocks.map((block) => victimsOf(store, block))),
    sources: collectSources(byLine.values(), files),
  };
}

function traceSpans(store: Store, traceId: string): BlockDetail['trace'] {
  return [...(traceOf(store, traceId)?.spans.values() ?? [])].slice(0, MAX_TRACE_SPANS);
}

/** The filter in a query. Unknown fields and values that are no number where one is expected are ignored. */
function filterOf(query: URLSearchParams): BlockFilter {
  const text = (name: string): Record<string, string> => {
    const value = query.get(name);
    return value === null ? {} : { [name]: value };
  };
  const time = (name: string): Record<string, number> => {
    const value = Number(query.get(name) ?? NaN);
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

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: OutgoingHttpHeaders = {},
): void {
  answer(response, status, type, body, { ...SECURITY_HEADERS, ...headers });
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers?: OutgoingHttpHeaders): void {
  send(response, status, 'application/json', JSON.stringify(body), headers);
}
