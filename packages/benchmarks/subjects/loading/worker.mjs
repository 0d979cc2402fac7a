// A worker thread without any code, started as the watchdog is.
import { Worker } from 'node:worker_threads';

setImmediate(() => {
  new Worker('require("node:worker_threads").parentPort.on("message", () => {})', {
    eval: true,
    execArgv: [],
    trackUnmanagedFds: false,
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  }).unref();
});
