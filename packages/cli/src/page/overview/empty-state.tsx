import type { JSX } from 'preact';

import type { PageState } from '../../model/live/page.js';
import { formatMs } from '../../model/text/format.js';
import type { Connection } from '../data/source.js';

/** Shown when there is no data: the reason, and how to send some. */
export function EmptyState({ state, connection }: { state: PageState; connection: Connection }): JSX.Element {
  if (connection === 'report' && state.instances.length === 0) {
    return (
      <section class="empty">
        <h2>Nothing was watched</h2>
        <p>No Node.js process has reported, so that nothing is known of blocks.</p>
      </section>
    );
  }
  if (connection === 'report') {
    return (
      <section class="empty">
        <h2>Nothing blocked</h2>
        <p>No event loop was busy for longer than {formatMs(state.thresholdMs ?? 0)} without a break.</p>
      </section>
    );
  }
  const endpoint = window.location.origin;
  return (
    <section class="empty">
      <h2>{state.instances.length > 0 ? 'No block so far' : 'Waiting for the first data'}</h2>
      <p>Start a service with the instrumentation and export to this address:</p>
      <pre tabIndex={0}>
        OTEL_EXPORTER_OTLP_ENDPOINT={endpoint} \{'\n'} node --import @loopwatch/instrumentation-event-loop/register
        app.js
      </pre>
      <p>Any OpenTelemetry SDK that registers EventLoopInstrumentation works. Blocks appear here when they arrive.</p>
    </section>
  );
}
