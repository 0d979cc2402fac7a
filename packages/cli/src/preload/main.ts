import { realpathSync } from 'node:fs';
import process from 'node:process';

import { isPackageManager } from '@loopwatch/instrumentation-event-loop/internal';

import { startInstrumentation } from './start.js';

/*
 * Node.js loads this file by `--require` into every process and worker thread that `loopwatch run` starts. It is CommonJS:
 * with `--import`, Node.js would load the program's entry point by the ES module loader.
 */

const OLDEST_NODE = [20, 6] as const;

function isSupported(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

if (isSupported() && !isPackageManager(process.argv[1], realpathSync)) {
  try {
    startInstrumentation();
  } catch {
    // The program runs on without instrumentation. A message would appear in the program's own output.
  }
}
