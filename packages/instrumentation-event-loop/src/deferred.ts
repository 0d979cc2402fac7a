/*
 * What a thread needs only when it starts the watchdog, or may have a block to report. The build bundles it as text into
 * the package (`virtual:deferred`): V8 compiles it then, and not while the application loads.
 */
export { BlockChannel } from './export/block-channel.js';
export { blockInfo } from './export/block-info.js';
export { BlockReporter } from './export/block-reporter.js';
export { BusyTimeReporter } from './export/busy-time-reporter.js';
export { HeldSpans } from './export/held-spans.js';
export { fromRelayedWindow, namedWindow, toRelayedWindow } from './export/named-window.js';
export { resolveTarget } from './export/hang-destination.js';
export { hangReportOf } from './export/hang-report.js';
export { servedRequestOf } from './export/request-name.js';
export { frequentNames, openRequestNames } from './export/open-requests.js';
export { fromRelayed, toRelayed } from './export/relayed-block.js';
export { resourceFromEnvironment, resourceOf } from './export/resource.js';
export { ThreadPoolReporter } from './export/thread-pool-reporter.js';
export { ThreadBlocks } from './monitor/thread-blocks.js';
