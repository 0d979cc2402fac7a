declare module 'virtual:watchdog-source' {
  /** The watchdog worker as one CommonJS text; made at build time from src/watchdog/entry.ts. */
  export const watchdogSource: string;
}
