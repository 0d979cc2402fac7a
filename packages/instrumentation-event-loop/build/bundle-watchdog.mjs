import path from 'node:path';

import { rolldown } from 'rolldown';

import { numbersPlugin } from './numbers-plugin.mjs';

const packageDirectory = path.resolve(import.meta.dirname, '..');

/** Entries of the watchdog thread and of its liveness thread: they import only `node:` modules and files of this package. */
const watchdogEntry = path.join(packageDirectory, 'src/watchdog/entry.ts');
const livenessEntry = path.join(packageDirectory, 'src/liveness/entry.ts');

/** The module `virtual:watchdog-source`, and the source files that it is made of, for watch mode and caches. */
export async function watchdogSourceModule() {
  const [watchdog, liveness] = await Promise.all([bundleWorker(watchdogEntry), bundleWorker(livenessEntry)]);
  const code =
    `export const watchdogSource = ${JSON.stringify(watchdog.source)};\n` +
    `export const livenessSource = ${JSON.stringify(liveness.source)};\n`;
  return { code, files: [...watchdog.files, ...liveness.files] };
}

/**
 * Bundles a worker into one CommonJS string, for `new Worker(source, { eval: true })`: a bundler in a user's
 * application cannot lose a worker file that does not exist. Also returns the source files.
 */
export async function bundleWorker(entry) {
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: (id) => id.startsWith('node:') && !defaultImports.has(id),
    plugins: [defaultImportsPlugin, builtInsPlugin, numbersPlugin()],
  });
  try {
    const { output } = await bundle.generate({
      format: 'cjs',
      minify: true,
      comments: { annotation: false },
      codeSplitting: false,
    });
    const [chunk, ...others] = output;
    if (others.length > 0) {
      throw new Error(`Expected the worker to be one file, got ${output.map((file) => file.fileName).join(', ')}.`);
    }
    const files = (await bundle.watchFiles).filter((file) => path.isAbsolute(file));
    assertNoPackages(chunk.imports, files);
    return { source: chunk.code, files };
  } finally {
    await bundle.close();
  }
}

/** No code of the application runs in these threads: there, built-ins are the globals themselves. */
const builtInsPlugin = {
  name: 'loopwatch:built-ins',
  transform(code) {
    if (!code.includes('/built-ins.js')) return null;
    const withGlobals = code.replace(/import \{([^}]+)\} from '[./]+\/built-ins\.js';/, (_, names) =>
      names.includes('isSharedArrayBuffer')
        ? "import { types } from 'node:util'; const { isSharedArrayBuffer } = types;"
        : '',
    );
    return { code: withGlobals, map: null };
  },
};

/** Modules of Node of which the workers import the default export. The path: see `src/contract/any-path.ts`. */
const defaultImports = new Map([
  ['node:process', 'export default process;'],
  ...['node:fs', 'node:os', 'node:path'].map((name) => [
    name,
    `import { createRequire } from 'node:module';\nexport default createRequire('/')('${name}');`,
  ]),
]);

/** Without it, each worker has 700 characters of code that finds out which default export a module of Node has. */
const defaultImportsPlugin = {
  name: 'loopwatch:default-imports',
  resolveId(id) {
    return defaultImports.has(id) ? `\0default-${id}` : null;
  },
  load(id) {
    const code = id.startsWith('\0default-') ? defaultImports.get(id.slice('\0default-'.length)) : undefined;
    return code === undefined ? null : { code, moduleSideEffects: false };
  },
};

/** Rolldown inlines the packages that it finds and keeps imports of those that it does not find: neither is allowed. */
function assertNoPackages(imports, files) {
  const unresolved = imports.filter((specifier) => !specifier.startsWith('node:'));
  const inlined = files.filter((file) => file.includes(`${path.sep}node_modules${path.sep}`));
  const packages = [...unresolved, ...inlined];
  if (packages.length > 0) {
    throw new Error(
      `Expected the worker to import only node: modules and files of this package, got ${packages.join(', ')}.`,
    );
  }
}
