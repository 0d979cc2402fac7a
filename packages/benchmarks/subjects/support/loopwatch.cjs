'use strict';
const { requireFromConsumer, startSdk } = require('./open-telemetry.cjs');

function milliseconds([seconds, nanoseconds]) {
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** The instrumentation with these options, in the same SDK as the control's. */
function startLoopwatch(options, report) {
  const { EventLoopInstrumentation } = requireFromConsumer('@loopwatch/instrumentation-event-loop');
  const instrumentation = new EventLoopInstrumentation(options);
  const sdk = startSdk({
    instrumentations: [instrumentation],
    onSpan(span) {
      if (span.name !== 'event-loop-blocked') return;
      const { attributes } = span;
      report({
        durationMs: milliseconds(span.duration),
        endEpochMs: milliseconds(span.endTime),
        functionName: attributes['code.function.name'],
        file: attributes['code.file.path'],
        line: attributes['code.line.number'],
        cause: attributes['event_loop.blocked.cause'],
        spanId: (span.parentSpanContext ?? {}).spanId,
      });
    },
  });
  const setEnabled = (isOn) => {
    if (isOn) instrumentation.enable();
    else instrumentation.disable();
  };
  return { ...sdk, setEnabled };
}

module.exports = { startLoopwatch };
