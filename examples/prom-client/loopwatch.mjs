import diagnostics_channel from 'node:diagnostics_channel';
import { EventLoopInstrumentation } from '@loopwatch/instrumentation-event-loop';
import { Histogram } from 'prom-client';

const MAX_FUNCTIONS = 20;
const functions = new Set();
const blocked = new Histogram({
  name: 'event_loop_blocked_duration_seconds',
  help: 'Time for which the event loop was blocked, by the function that blocked it',
  labelNames: ['code_function_name', 'event_loop_blocked_cause'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
});
diagnostics_channel.subscribe('loopwatch:block', ({ durationMs, cause, culprit }) => {
  const name = culprit?.functionName ?? '';
  if (functions.size < MAX_FUNCTIONS) functions.add(name);
  // Each function is a series: those after the first ones share a name.
  const labels = { code_function_name: functions.has(name) ? name : 'other', event_loop_blocked_cause: cause };
  blocked.observe(labels, durationMs / 1000);
});
new EventLoopInstrumentation();
