/** Entry of the export pool's worker threads. */
export { exportRun, exportRunCompletely } from './export-run.js';
