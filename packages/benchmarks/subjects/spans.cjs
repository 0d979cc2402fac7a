'use strict';
// node spans.cjs <pairs>: measures what EventLoopSpanProcessor adds to a span. Two providers of the same SDK, one with
// the processor and one without, run batches of a millisecond or two alternately, in random order. The instrumentation
// runs, as it does in an application that tracks victims. Prints the CPU per span of each pair of batches in ns, by
// kind of span.
const { setImmediate: nextIteration } = require('node:timers/promises');
const { requireFromConsumer } = require('./support/open-telemetry.cjs');

require('./peers/loopwatch.cjs')({ report: () => undefined });
const { ROOT_CONTEXT, SpanKind, trace } = requireFromConsumer('@opentelemetry/api');
const { TracerProvider } = requireFromConsumer('@opentelemetry/sdk-trace');
const { EventLoopSpanProcessor } = requireFromConsumer('@loopwatch/instrumentation-event-loop');

const PAIRS = Number(process.argv[2]);
const WARM_UP_PAIRS = 150;
const SPANS_PER_BATCH = 2000;
const OTHERS_OPEN = 1000;

const nothing = () => undefined;
const done = () => Promise.resolve();
/** Stands for the processor that an application already has. It does nothing. */
const other = () => ({ onStart: nothing, onEnding: nothing, onEnd: nothing, forceFlush: done, shutdown: done });

function tracerWith(...processors) {
  return new TracerProvider({ spanProcessors: [...processors, other()] }).getTracer('bench');
}

const tracers = { without: tracerWith(), with: tracerWith(new EventLoopSpanProcessor()) };

function serverSpans(tracer) {
  const options = { kind: SpanKind.SERVER };
  for (let count = 0; count < SPANS_PER_BATCH; count++) tracer.startSpan('GET /runs', options, ROOT_CONTEXT).end();
}

function childSpans(tracer) {
  const request = tracer.startSpan('GET /runs', { kind: SpanKind.SERVER }, ROOT_CONTEXT);
  const inRequest = trace.setSpan(ROOT_CONTEXT, request);
  for (let count = 0; count < SPANS_PER_BATCH; count++) tracer.startSpan('query', undefined, inRequest).end();
  request.end();
}

function cpuNanosecondsEach(run, tracer) {
  const before = process.cpuUsage();
  run(tracer);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1e3) / SPANS_PER_BATCH;
}

async function measure(kind, run) {
  const pairs = [];
  for (let count = -WARM_UP_PAIRS; count < PAIRS; count++) {
    const order = Math.random() < 0.5 ? ['without', 'with'] : ['with', 'without'];
    const pair = {};
    for (const name of order) {
      pair[name] = cpuNanosecondsEach(run, tracers[name]);
      await nextIteration(); // so that no batch blocks the loop for long enough to be reported
    }
    if (count >= 0) pairs.push(pair);
  }
  process.stdout.write(`${JSON.stringify({ kind, pairs })}\n`);
}

async function main() {
  await measure('SERVER span', serverSpans);
  await measure('child span', childSpans);
  const open = Object.values(tracers).flatMap((tracer) =>
    Array.from({ length: OTHERS_OPEN }, () => tracer.startSpan('GET /slow', { kind: SpanKind.SERVER }, ROOT_CONTEXT)),
  );
  await measure('SERVER span, 1,000 others open', serverSpans);
  for (const span of open) span.end();
  process.exit(0);
}

process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
void main();
