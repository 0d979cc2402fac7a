// Jest maps `virtual:watchdog-source` to this file; ./watchdog-jest-transform.mjs puts the bundled worker in its place.
export const watchdogSource = '';
