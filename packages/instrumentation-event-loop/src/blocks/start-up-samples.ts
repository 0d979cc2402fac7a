import { isOfNodeOrV8 } from '../contract/frames.js';
import type { Sample, StartUp } from '../contract/model.js';

/** Files of Node that evaluate an entry point: CommonJS or ES module, in the main thread or in a worker. */
const LOADER_FILES = ['modules/run_main', 'modules/esm/module_job', 'main/', 'process/execution'].map(
  (file) => `node:internal/${file}`,
);

const MODULES = 'node:internal/modules/';

/**
 * Whether a busy period was the evaluation of the entry point. Without samples, the phase of the start-up alone decides.
 */
export function isStartUp(period: { readonly startUp: StartUp; readonly samples: readonly Sample[] }): boolean {
  if (period.startUp === 'over') return false;
  const samples = period.samples.filter(({ frames }) => frames.length > 0);
  // Once the loop iterates, a module for which the application waits, `await import()`, delays events.
  if (
    period.startUp === 'possible' &&
    samples.some(({ frames }) => frames.some((frame) => frame.isAsync && !isOfNodeOrV8(frame)))
  )
    return false;
  return samples.length === 0 ? period.startUp === 'likely' : areStartUpSamples(samples);
}

/**
 * Whether most of the samples show the loading and evaluation of modules. Async frames are ignored: code after a
 * top-level `await` runs in the event loop.
 */
export function areStartUpSamples(samples: readonly Sample[]): boolean {
  return samples.filter(showsStartUp).length * 2 > samples.length;
}

function showsStartUp({ frames }: Sample): boolean {
  const running = frames.filter(({ isAsync }) => !isAsync);
  if (running.some(({ fileName }) => LOADER_FILES.some((file) => fileName.startsWith(file)))) return true;
  // Node resolves, reads and compiles modules. With application code on the stack, that code has required the module.
  return running.some(({ fileName }) => fileName.startsWith(MODULES)) && running.every(isOfNodeOrV8);
}
