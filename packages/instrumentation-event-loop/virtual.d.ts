declare module 'virtual:watchdog-source' {
  /** The watchdog worker as one CommonJS string, bundled from src/watchdog/entry.ts at build time. */
  export const watchdogSource: string;
  /** The liveness thread, from src/liveness/entry.ts. */
  export const livenessSource: string;
}

declare module 'virtual:deferred' {
  /** Returns what src/deferred.ts exports. The first call compiles it, in some milliseconds. It does not wait. */
  // eslint-disable-next-line @typescript-eslint/consistent-type-imports -- the only way in an ambient module
  export function loadDeferred(): typeof import('./src/deferred.js');
}
