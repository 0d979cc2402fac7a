import { histogramBody, type SpanInput, tracesBody } from './otlp.js';

/** OTLP bodies of a fleet: services with instances of which each blocks now and then. Equal arguments give equal bodies. */
export function createFleet(options: { services: number; instances: number; blocks: number; endMs: number }): {
  readonly traces: readonly object[];
  readonly metrics: readonly object[];
} {
  const { services, instances, blocks, endMs } = options;
  const resources = Array.from({ length: instances }, (_, index) => ({
    'service.name': `service-${String(index % services).padStart(2, '0')}`,
    'service.version': '1.0.0',
    'service.instance.id': `pod-${index}`,
    'process.pid': 1_000 + index,
  }));
  const startMs = endMs - MINUTES * 60_000;
  return {
    traces: resources.map((resource, instance) =>
      tracesBody(
        resource,
        Array.from({ length: Math.ceil((blocks - instance) / instances) }, (_, index) =>
          blockSpan(index * instances + instance, startMs, services),
        ),
      ),
    ),
    metrics: resources.map((resource, instance) =>
      histogramBody(
        resource,
        'event_loop.lag',
        Array.from({ length: MINUTES * 6 }, (_, index) => ({
          startMs: startMs + index * 10_000,
          endMs: startMs + (index + 1) * 10_000,
          boundsSeconds: [0.001, 0.01, 0.1, 1],
          counts: [800, 40, (index + instance) % 5, (index * instance) % 3, 0],
          attributes: { 'thread.name': 'main' },
        })),
      ),
    ),
  };
}

const MINUTES = 15;
const CAUSES = ['javascript', 'javascript', 'native', 'gc', 'waiting', 'cpu_starved'];

function blockSpan(index: number, startMs: number, services: number): SpanInput {
  // Prime steps: spread without a random generator.
  const durationMs = 100 * 1.06 ** ((index * 37) % 60);
  const blockStartMs = startMs + ((index * 7_919) % (MINUTES * 60_000 - 10_000));
  const culprit = (index * 13) % (services * 2);
  const id = (index + 1).toString(16);
  return {
    traceId: id.padStart(32, '0'),
    spanId: id.padStart(16, '0'),
    name: 'event-loop-blocked',
    startMs: blockStartMs,
    endMs: blockStartMs + durationMs,
    attributes: {
      'code.function.name': `handle${culprit}`,
      'code.file.path': `/app/src/routes/route-${culprit}.js`,
      'code.line.number': 10 + (index % 3),
      'code.stacktrace': `    at handle${culprit} (/app/src/routes/route-${culprit}.js:10:5)\n    at next (/app/node_modules/express/lib/router/route.js:149:13)`,
      'event_loop.blocked.cause': CAUSES[(index * 5) % CAUSES.length]!,
      'event_loop.blocked.profile': `next;handle${culprit} ${Math.round(durationMs)}`,
      'event_loop.blocked.async_resource': 'HTTPINCOMINGMESSAGE',
      'thread.name': 'main',
    },
  };
}
