import path from 'node:path';

import { rolldown } from 'rolldown';

const packageDirectory = path.resolve(import.meta.dirname, '..');

/** The watchdog worker's entry: it imports its own siblings and `node:` modules, nothing else. */
export const watchdogEntry = path.join(packageDirectory, 'src/watchdog/entry.ts');

/**
 * Bundles the worker into one CommonJS text, for `new Worker(text, { eval: true })`: a bundler in a user's application
 * then has no worker file to lose. Returns the files it was made from, for whoever watches or caches.
 */
export async function bundleWatchdog(entry = watchdogEntry) {
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: /^node:/,
  });
  try {
    const { output } = await bundle.generate({ format: 'cjs', minify: true, codeSplitting: false });
    const [chunk, ...others] = output;
    if (others.length > 0) {
      throw new Error(
        `Expected the watchdog worker to be one file, got ${output.map((file) => file.fileName).join(', ')}.`,
      );
    }
    const files = (await bundle.watchFiles).filter((file) => path.isAbsolute(file));
    assertNoPackages(chunk.imports, files);
    return { source: chunk.code, files };
  } finally {
    await bundle.close();
  }
}

/** Rolldown inlines a package it finds, and leaves one it does not find as an import. */
function assertNoPackages(imports, files) {
  const unresolved = imports.filter((specifier) => !specifier.startsWith('node:'));
  const inlined = files.filter((file) => file.includes(`${path.sep}node_modules${path.sep}`));
  const packages = [...unresolved, ...inlined];
  if (packages.length > 0) {
    throw new Error(`The watchdog worker may import node: modules and its siblings only, got ${packages.join(', ')}.`);
  }
}
