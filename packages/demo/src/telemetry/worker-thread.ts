import { EventLoopInstrumentation } from '@loopwatch/instrumentation-event-loop';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';

import { spanProcessors } from './span-processors.js';

/** SDK of a worker thread, which serves no requests: its own spans, its `fetch` calls and its event loop. */
export const sdk = new NodeSDK({
  instrumentations: [new UndiciInstrumentation(), new EventLoopInstrumentation()],
  spanProcessors: spanProcessors(),
});
