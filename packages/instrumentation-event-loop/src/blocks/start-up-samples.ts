import type { Sample } from '../contract/model.js';

/** Files of Node that evaluate an entry point: CommonJS or ES module, in the main thread or in a worker. */
const LOADER_FILES = /^node:internal\/(modules\/(run_main|esm\/module_job)|main\/|process\/execution)/;

/**
 * Whether most of the samples show the evaluation of modules. Async frames are ignored: code after a top-level `await`
 * runs in the event loop.
 */
export function areStartUpSamples(samples: readonly Sample[]): boolean {
  const startUpSamples = samples.filter(({ frames }) =>
    frames.some((frame) => !frame.isAsync && LOADER_FILES.test(frame.fileName)),
  );
  return startUpSamples.length * 2 > samples.length;
}
