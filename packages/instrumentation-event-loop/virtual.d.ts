declare module 'virtual:watchdog-source' {
  /** The watchdog worker as one CommonJS string, bundled from src/watchdog/entry.ts at build time. */
  export const watchdogSource: string;
}
