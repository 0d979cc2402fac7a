/** What the export pool's threads run. */
export { exportRun, exportRunCompletely } from './exports/export-run.js';
