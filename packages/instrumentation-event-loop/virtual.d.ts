declare module 'virtual:watchdog-source' {
  /** The watchdog worker as one CommonJS text; made at build time from src/detection/watchdog/main.ts. */
  export const watchdogSource: string;
}
