'use strict';
// Only where the program has spans: the cost servers have none.
const tracing = process.env.BENCH_WITH_SPANS === '1' ? require('./open-telemetry.cjs') : undefined;

/** What a monitor that asks OpenTelemetry for the active span gets. */
function activeSpanId() {
  return tracing?.requireFromConsumer('@opentelemetry/api').trace.getActiveSpan()?.spanContext().spanId;
}

module.exports = { activeSpanId };
