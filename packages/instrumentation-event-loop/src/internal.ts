/**
 * What Loopwatch's CLI shares with the instrumentation, so that both judge alike. Not part of the public API: it changes
 * in any release. Nothing here needs Node.js: the CLI's page has it too.
 */
export { Asking, Header, REGISTRY_KEY, SLOT_COUNT, SlotInt } from './contract/registry-layout.js';
export { isJsonCall, isRegExpCall } from './contract/native-calls.js';
export { silentState, type SilentState, type SilentTimes } from './contract/silent-thread.js';
export { attempt, guarded, OWN_LISTENER } from './contract/guard.js';
export { optionVariables } from './config/environment.js';
export { DEFAULT_HANG_THRESHOLD_MS, MIN_BLOCKED_THRESHOLD_MS } from './config/options.js';
export type { Frame } from './contract/model.js';
export { excludedMsOf } from './export/block-attributes.js';
export { parseHeaders, readVariable } from './export/otel-variables.js';
export { isPackageManager } from './monitor/package-manager.js';
