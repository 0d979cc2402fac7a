import type { Sample } from '../contract/model.js';

/** Node's own functions that evaluate an entry point, CommonJS or ES module, main thread or worker. */
const LOADER_FILES = /^node:internal\/(modules\/(run_main|esm\/module_job)|main\/|process\/execution)/;

/** Whether most of the samples show modules being evaluated. What a module awaits at its top level runs in the loop. */
export function areStartUpSamples(samples: readonly Sample[]): boolean {
  const loading = samples.filter(({ frames }) =>
    frames.some((frame) => !frame.isAsync && LOADER_FILES.test(frame.fileName)),
  );
  return loading.length * 2 > samples.length;
}
