import path from 'node:path';

import { rolldown } from 'rolldown';

const packageDirectory = path.resolve(import.meta.dirname, '..');

/** The watchdog worker's entry: it imports its own siblings and `node:` modules, nothing else. */
export const watchdogEntry = path.join(packageDirectory, 'src/detection/watchdog/main.ts');

/**
 * Bundles the worker into one CommonJS text, for `new Worker(text, { eval: true })`: a bundler in a user's application
 * then has no worker file to lose. Returns the files it was made from, for whoever watches or caches.
 */
export async function bundleWatchdog() {
  const bundle = await rolldown({
    input: watchdogEntry,
    platform: 'node',
    external: /^node:/,
    onLog(level, log, defaultHandler) {
      if (log.code === 'UNRESOLVED_IMPORT')
        throw new Error(`The watchdog worker may import node: modules and its siblings only. ${log.message}`);
      defaultHandler(level, log);
    },
  });
  try {
    const { output } = await bundle.generate({ format: 'cjs', minify: true, codeSplitting: false });
    const [chunk, ...others] = output;
    if (others.length > 0) {
      throw new Error(
        `Expected the watchdog worker to be one file, got ${output.map((file) => file.fileName).join(', ')}.`,
      );
    }
    assertBuiltinsOnly(chunk.imports);
    return { source: chunk.code, files: chunk.moduleIds.filter((id) => path.isAbsolute(id)) };
  } finally {
    await bundle.close();
  }
}

function assertBuiltinsOnly(imports) {
  const foreign = imports.filter((specifier) => !specifier.startsWith('node:'));
  if (foreign.length > 0) {
    throw new Error(`The watchdog worker may import node: modules and its siblings only, got ${foreign.join(', ')}.`);
  }
}
