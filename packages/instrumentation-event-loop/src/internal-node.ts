/**
 * What Loopwatch's CLI shares with the instrumentation and what needs Node.js. Not part of the public API: it changes in any
 * release.
 */
export { wrapFunction } from './contract/wrap-function.js';
export { mapStackNow } from './watchdog/maps/map-now.js';
