export { EventLoopInstrumentation } from './instrumentation.js';
export { EventLoopSpanProcessor } from './span-processor.js';
export { isOverloaded, type OverloadLimits } from './is-overloaded.js';
export { EventLoopSampler, type SamplerLike, type SamplingResultLike } from './sampler.js';
export type {
  BlockCause,
  BlockHook,
  BlockInfo,
  BlockMessage,
  BusyMessage,
  BusyShare,
  CodeLocation,
  EventLoopInstrumentationConfig,
  HangExporterConfig,
  HangMessage,
  StackQuality,
  StartUpHook,
  StartUpInfo,
  ThreadPoolMessage,
} from './types.js';
