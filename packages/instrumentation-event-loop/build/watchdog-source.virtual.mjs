// Jest maps `virtual:watchdog-source` to this file; ./watchdog-jest-transform.mjs replaces its content.
export const watchdogSource = '';
export const livenessSource = '';
