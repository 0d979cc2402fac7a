// An SDK that exports nothing, for /register to join.
import { NodeSDK } from '@opentelemetry/sdk-node';

const done = () => Promise.resolve();
const processor = { onStart: () => {}, onEnd: () => {}, forceFlush: done, shutdown: done };
new NodeSDK({
  autoDetectResources: false,
  spanProcessors: [processor],
  metricReaders: [],
  logRecordProcessors: [],
  instrumentations: [],
}).start();
