/**
 * An absolute path for `createRequire`, where only modules of Node.js are required. `process.execPath` is none where Node.js
 * was found by `PATH` and `/proc` is not mounted, and the application may replace it.
 */
export const ANY_PATH = '/';
