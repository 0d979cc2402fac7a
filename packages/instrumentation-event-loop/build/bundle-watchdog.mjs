import path from 'node:path';

import { rolldown } from 'rolldown';

const packageDirectory = path.resolve(import.meta.dirname, '..');

/** Entry of the watchdog worker. It imports only `node:` modules and files of this package. */
export const watchdogEntry = path.join(packageDirectory, 'src/watchdog/entry.ts');

/**
 * Bundles the worker into one CommonJS string, for `new Worker(source, { eval: true })`: a bundler in a user's
 * application cannot lose a worker file that does not exist. Also returns the source files, for watch mode and caches.
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

/** Rolldown inlines the packages that it finds and keeps imports of those that it does not find: neither is allowed. */
function assertNoPackages(imports, files) {
  const unresolved = imports.filter((specifier) => !specifier.startsWith('node:'));
  const inlined = files.filter((file) => file.includes(`${path.sep}node_modules${path.sep}`));
  const packages = [...unresolved, ...inlined];
  if (packages.length > 0) {
    throw new Error(
      `Expected the watchdog worker to import only node: modules and files of this package, got ${packages.join(', ')}.`,
    );
  }
}
