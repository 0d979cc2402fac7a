/** What the export pool's threads run. */
export { exportRun, exportRunCompletely } from './export-run.js';
