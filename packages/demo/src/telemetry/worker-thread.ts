import { EventLoopInstrumentation } from '@loopwatch/instrumentation-event-loop';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';

import { spanProcessors } from './span-processors.js';

/** A worker thread serves no requests: its own spans, what it fetches and its event loop are all there is. */
export const sdk = new NodeSDK({
  instrumentations: [new UndiciInstrumentation(), new EventLoopInstrumentation()],
  spanProcessors: spanProcessors(),
});
