import vm from 'node:vm';

/** Files of Node.js that evaluate an entry point. */
const LOADER_FILES = ['modules/run_main', 'modules/esm/module_job', 'main/', 'process/execution'].map(
  (file) => `node:internal/${file}`,
);
/** Compiled in a realm of its own, whose `Error` the program cannot have changed. */
const FILES_ON_STACK = `
  Error.stackTraceLimit = 200;
  Error.prepareStackTrace = (error, callSites) =>
    callSites.filter((site) => !site.isAsync()).map((site) => site.getFileName() ?? '');
  new Error().stack`;

/** Whether this code has interrupted work of the program, other than the evaluation of its entry point. */
export function hasInterruptedWork(): boolean {
  const files = vm.runInNewContext(FILES_ON_STACK, {}, 'loopwatch:stack') as readonly string[];
  if (files.some((file) => LOADER_FILES.some((loader) => file.startsWith(loader)))) return false;
  return files.some((file) => file !== '' && !file.startsWith('loopwatch:') && !file.startsWith('node:'));
}
