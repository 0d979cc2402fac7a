import type { JSX } from 'preact';

import { formatMs } from '../../model/format.js';
import type { PageState } from '../../model/page.js';
import type { Connection } from '../data/source.js';

/** What is shown when there is nothing to show: why, and what to do. */
export function EmptyState({ state, connection }: { state: PageState; connection: Connection }): JSX.Element {
  if (connection === 'report') {
    return (
      <section class="empty">
        <h2>Nothing blocked</h2>
        <p>No event loop was busy for longer than {formatMs(state.thresholdMs ?? 0)} at a time.</p>
      </section>
    );
  }
  const endpoint = window.location.origin;
  return (
    <section class="empty">
      <h2>{state.instances.length > 0 ? 'No block so far' : 'Waiting for the first data'}</h2>
      <p>Start a service with the instrumentation and let it export to this address:</p>
      <pre tabIndex={0}>
        OTEL_EXPORTER_OTLP_ENDPOINT={endpoint} \{'\n'} node --import @loopwatch/instrumentation-event-loop/register
        app.js
      </pre>
      <p>Any OpenTelemetry SDK that registers EventLoopInstrumentation will do. Blocks appear here as they arrive.</p>
    </section>
  );
}
