import type { AttributeValue } from '../../src/model/types.js';
import { gaugeBody, histogramBody, type Resource, type SpanInput, tracesBody } from './otlp.js';

/** OTLP bodies of a service under load. Equal seeds give equal bodies. */
export interface Scenario {
  readonly traces: readonly object[];
  readonly metrics: readonly object[];
  readonly blockCount: number;
}

interface CulpritTemplate {
  readonly functionName: string;
  readonly filePath: string;
  readonly lineNumber: number;
  readonly cause: string;
  readonly request: string;
  readonly resource: string;
  readonly stack: readonly [name: string, place: string][];
  /** Share of the samples in callees of the culprit; the rest is in the culprit itself. */
  readonly inside: readonly [name: string, share: number][];
  readonly medianMs: number;
  readonly weight: number;
}

const HTTP: readonly [string, string][] = [
  ['next', '/app/node_modules/express/lib/router/route.js:149:13'],
  ['Layer.handle', '/app/node_modules/express/lib/router/layer.js:95:5'],
  ['parserOnIncoming', 'node:_http_server:1153:12'],
];

const CULPRITS: readonly CulpritTemplate[] = [
  {
    functionName: 'createSpans',
    filePath: '/app/src/traces/trace-view.js',
    lineNumber: 41,
    cause: 'javascript',
    request: 'GET /traces/:id',
    resource: 'HTTPINCOMINGMESSAGE',
    stack: [
      ['createSpans', '/app/src/traces/trace-view.js:41:27'],
      ['renderTrace', '/app/src/traces/trace-view.js:18:10'],
      ['getTrace', '/app/src/traces/routes.js:77:20'],
      ...HTTP,
    ],
    inside: [
      ['Array.find', 0.5],
      ['isParent', 0.22],
    ],
    medianMs: 620,
    weight: 8,
  },
  {
    functionName: 'validateTask',
    filePath: '/app/src/tasks/validate.js',
    lineNumber: 112,
    cause: 'native',
    request: 'POST /tasks',
    resource: 'HTTPINCOMINGMESSAGE',
    stack: [
      ['validateTask', '/app/src/tasks/validate.js:112:18'],
      ['createTask', '/app/src/tasks/routes.js:31:9'],
      ...HTTP,
    ],
    inside: [
      ['JSON.parse', 0.6],
      ['ZodObject._parse', 0.3],
    ],
    medianMs: 240,
    weight: 12,
  },
  {
    functionName: 'listSchedules',
    filePath: '/app/src/schedules/list.js',
    lineNumber: 23,
    cause: 'javascript',
    request: 'GET /schedules',
    resource: 'HTTPINCOMINGMESSAGE',
    stack: [['listSchedules', '/app/src/schedules/list.js:23:14'], ...HTTP],
    inside: [['nextOccurrence', 0.7]],
    medianMs: 380,
    weight: 4,
  },
  {
    functionName: 'convertImage',
    filePath: '/app/src/media/convert.js',
    lineNumber: 9,
    cause: 'waiting',
    request: 'POST /media',
    resource: 'HTTPINCOMINGMESSAGE',
    stack: [
      ['spawnSync', 'node:internal/child_process:1120:20'],
      ['execFileSync', 'node:child_process:948:15'],
      ['convertImage', '/app/src/media/convert.js:9:3'],
      ...HTTP,
    ],
    inside: [['execFileSync', 0.98]],
    medianMs: 900,
    weight: 2,
  },
  {
    functionName: 'refreshCache',
    filePath: '/app/src/cache.js',
    lineNumber: 58,
    cause: 'gc',
    request: '',
    resource: 'Timeout',
    stack: [
      ['refreshCache', '/app/src/cache.js:58:22'],
      ['listOnTimeout', 'node:internal/timers:594:17'],
      ['process.processTimers', 'node:internal/timers:529:7'],
    ],
    inside: [['cloneEntry', 0.4]],
    medianMs: 180,
    weight: 5,
  },
  {
    functionName: 'signToken',
    filePath: '/app/src/auth/token.js',
    lineNumber: 30,
    cause: 'cpu_starved',
    request: 'POST /login',
    resource: 'HTTPINCOMINGMESSAGE',
    stack: [['signToken', '/app/src/auth/token.js:30:11'], ...HTTP],
    inside: [],
    medianMs: 140,
    weight: 3,
  },
];

const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const LAG_INTERVAL_MS = 10_000;

export function createScenario(options: { blocks: number; minutes: number; endMs: number; seed?: number }): Scenario {
  const random = seeded(options.seed ?? 7);
  const startMs = options.endMs - options.minutes * 60_000;
  const resources: Resource[] = [4211, 4212].map((pid, index) => ({
    'service.name': 'trace-api',
    'service.instance.id': `trace-api-${index}`,
    'process.pid': pid,
  }));
  const spans = new Map(resources.map((resource) => [resource, [] as SpanInput[]]));
  const busy: { startMs: number; durationMs: number; resource: Resource }[] = [];
  for (let index = 0; index < options.blocks; index += 1) {
    const template = pick(CULPRITS, random);
    const resource = resources[Math.floor(random() * resources.length)]!;
    const durationMs = template.medianMs * Math.exp((random() + random() + random() - 1.5) * 0.9);
    const blockStartMs = startMs + 5_000 + random() * (options.minutes * 60_000 - 15_000);
    spans.get(resource)!.push(...blockSpans(template, blockStartMs, durationMs, random));
    busy.push({ startMs: blockStartMs, durationMs, resource });
  }
  return {
    blockCount: options.blocks,
    traces: resources.flatMap((resource) =>
      chunks(spans.get(resource)!, 2_000).map((part) => tracesBody(resource, part)),
    ),
    metrics: [
      ...resources.map((resource) =>
        histogramBody(
          resource,
          'event_loop.lag',
          lagPoints(
            startMs,
            options.endMs,
            busy.filter((block) => block.resource === resource),
            random,
          ),
        ),
      ),
      ...threadBodies(resources[0]!),
    ],
  };
}

function blockSpans(template: CulpritTemplate, startMs: number, durationMs: number, random: () => number): SpanInput[] {
  const traceId = hex(32, random);
  const requestId = hex(16, random);
  const blockId = hex(16, random);
  const endMs = startMs + durationMs;
  const hasRequest = template.request !== '';
  const block: SpanInput = {
    traceId,
    spanId: blockId,
    ...(hasRequest && { parentSpanId: requestId }),
    name: 'event-loop-blocked',
    startMs,
    endMs,
    attributes: blockAttributes(template, durationMs),
  };
  if (!hasRequest) return [block];
  const request: SpanInput = {
    traceId,
    spanId: requestId,
    name: template.request,
    kind: 2,
    startMs: startMs - 14,
    endMs: endMs + 9,
  };
  const query: SpanInput = {
    traceId,
    spanId: hex(16, random),
    parentSpanId: requestId,
    name: 'pg.query SELECT',
    kind: 3,
    startMs: startMs - 12,
    endMs: startMs - 2,
  };
  const victims = Array.from({ length: Math.floor(random() * 4) }, (_, index): SpanInput => {
    const waitMs = durationMs * (0.4 + random() * 0.5);
    return {
      traceId: hex(32, random),
      spanId: hex(16, random),
      name: ['GET /health', 'POST /login', 'GET /schedules', 'POST /tasks'][index]!,
      kind: 2,
      startMs: endMs - waitMs,
      endMs: endMs + 4 + random() * 10,
      attributes: { 'event_loop.blocked.wait_time': waitMs / 1000 },
      links: [{ traceId, spanId: blockId }],
    };
  });
  return [block, query, request, ...victims];
}

function blockAttributes(template: CulpritTemplate, durationMs: number): Readonly<Record<string, AttributeValue>> {
  const seconds = durationMs / 1000;
  const chain = template.stack.map(([name]) => name).reverse();
  const root = chain.slice(0, chain.indexOf(template.functionName) + 1).join(';');
  const own = 1 - template.inside.reduce((total, [, share]) => total + share, 0);
  const folded = [...template.inside.map(([name, share]) => [`${root};${name}`, share] as const), [root, own] as const];
  const cpu = { waiting: 0.03, cpu_starved: 0.2 }[template.cause] ?? 0.97;
  return {
    'code.function.name': template.functionName,
    'code.file.path': template.filePath,
    'code.line.number': template.lineNumber,
    'code.column.number': 5,
    'code.stacktrace': template.stack.map(([name, place]) => `    at ${name} (${place})`).join('\n'),
    'event_loop.blocked.cause': template.cause,
    'event_loop.blocked.cpu_time': seconds * cpu,
    'event_loop.blocked.gc_time': seconds * (template.cause === 'gc' ? 0.7 : 0.02),
    'event_loop.blocked.run_queue_time': seconds * (template.cause === 'cpu_starved' ? 0.78 : 0.01),
    'event_loop.blocked.stack_quality': template.cause === 'native' ? 'post_native' : 'live',
    'event_loop.blocked.sample_count': Math.max(1, Math.round(durationMs / 15)),
    'event_loop.blocked.profile': folded
      .map(([stack, share]) => `${stack} ${Math.max(1, Math.round(share * durationMs))}`)
      .join('\n'),
    'event_loop.blocked.async_resource': template.resource,
    'event_loop.blocked.suppressed_count': 0,
    'thread.id': 0,
    'thread.name': 'main',
  };
}

function lagPoints(
  startMs: number,
  endMs: number,
  busy: readonly { startMs: number; durationMs: number }[],
  random: () => number,
): Parameters<typeof histogramBody>[2] {
  return Array.from({ length: Math.floor((endMs - startMs) / LAG_INTERVAL_MS) }, (_, index) => {
    const from = startMs + index * LAG_INTERVAL_MS;
    const counts = new Array<number>(BOUNDS_SECONDS.length + 1).fill(0);
    counts[0] = 600 + Math.round(random() * 150);
    counts[1] = 200 + Math.round(random() * 60);
    counts[2] = Math.round(random() * 20);
    let maxSeconds = 0.004;
    for (const block of busy) {
      if (block.startMs < from || block.startMs >= from + LAG_INTERVAL_MS) continue;
      // An event that arrives during the block waits until its end.
      for (let leftMs = block.durationMs; leftMs > 0; leftMs -= 10) {
        const bucket = BOUNDS_SECONDS.findIndex((bound) => leftMs / 1000 <= bound);
        counts[bucket]! += 1;
      }
      maxSeconds = Math.max(maxSeconds, block.durationMs / 1000);
    }
    return {
      startMs: from,
      endMs: from + LAG_INTERVAL_MS,
      boundsSeconds: BOUNDS_SECONDS,
      counts,
      maxSeconds,
      attributes: { 'thread.name': 'main' },
    };
  });
}

function threadBodies(resource: Resource): object[] {
  const main = { 'thread.name': 'main' };
  const pool = { 'thread.name': 'pool worker' };
  return [
    gaugeBody(resource, 'event_loop.utilization', [
      { value: 0.62, attributes: main },
      { value: 0.08, attributes: pool },
    ]),
    gaugeBody(resource, 'event_loop.threads', [{ value: 4, attributes: pool }]),
    gaugeBody(resource, 'event_loop.thread.idle_age', [{ value: 94.2, attributes: pool }]),
  ];
}

function pick(templates: readonly CulpritTemplate[], random: () => number): CulpritTemplate {
  let left = random() * templates.reduce((total, template) => total + template.weight, 0);
  return templates.find((template) => (left -= template.weight) <= 0) ?? templates[0]!;
}

function hex(length: number, random: () => number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
