import { context } from '@opentelemetry/api';

import { createContextReader } from '../../../src/export/context-reader.js';

/** Reads contexts as the instrumentation does. */
export const contextReader = createContextReader({ active: () => context.active(), requestKey: () => undefined });
