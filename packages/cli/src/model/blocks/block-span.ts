import { SPAN_EVENT_LOOP_BLOCKED, SPAN_EVENT_LOOP_HANG } from '@loopwatch/instrumentation-event-loop/semconv';

import type { TraceSpan } from '../types.js';

/** Whether the span reports a block, ended or, as a hang report, still going on. */
export function isBlockSpan(span: TraceSpan): boolean {
  return span.name === SPAN_EVENT_LOOP_BLOCKED || span.name === SPAN_EVENT_LOOP_HANG;
}
