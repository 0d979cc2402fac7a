'use strict';
// Only programs with spans load OpenTelemetry here: the servers under load have no spans.
const tracing = process.env.BENCH_WITH_SPANS === '1' ? require('./open-telemetry.cjs') : undefined;

/** The span id that a monitor gets when it asks OpenTelemetry for the active span. */
function activeSpanId() {
  return tracing?.requireFromConsumer('@opentelemetry/api').trace.getActiveSpan()?.spanContext().spanId;
}

module.exports = { activeSpanId };
