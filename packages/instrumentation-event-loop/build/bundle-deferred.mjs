import path from 'node:path';

import { rolldown } from 'rolldown';

import { asciiOnly } from './ascii-plugin.mjs';
import { nodeModulesPlugin } from './node-modules-plugin.mjs';
import { watchdogPlugin } from './watchdog-plugin.mjs';

const packageDirectory = path.resolve(import.meta.dirname, '..');
const deferredEntry = path.join(packageDirectory, 'src/deferred.ts');
const mainEntry = path.join(packageDirectory, 'src/index.ts');
/** Constants without state: as a second copy they cost less than an object with a getter for each. */
const copied = ['src/semconv.ts', 'src/contract/registry-layout.ts'].map((file) => path.join(packageDirectory, file));
const SHARED = 'shared:';

/**
 * Bundles src/deferred.ts into one CommonJS string, without the modules that the rest of the package loads, too: these
 * exist once, with their state. Returns its source, the modules that it requires, each with the names that it uses of
 * it, and the source files.
 */
export async function bundleDeferred() {
  const mainModules = await modulesOf(mainEntry);
  const shared = {
    name: 'loopwatch:shared',
    async resolveId(id, importer) {
      if (importer === undefined || !/^\.{1,2}\//.test(id)) return null;
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      if (resolved === null || !mainModules.has(resolved.id) || copied.includes(resolved.id)) return null;
      return { id: SHARED + path.relative(packageDirectory, resolved.id), external: true };
    },
  };
  const bundle = await rolldown({
    input: deferredEntry,
    platform: 'node',
    external: /^(node:|@opentelemetry\/)/,
    plugins: [shared, watchdogPlugin(), nodeModulesPlugin()],
  });
  try {
    // The names stay: they stand in stacks and profiles.
    const minify = { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } };
    const { output } = await bundle.generate({ format: 'cjs', minify, codeSplitting: false });
    const [chunk, ...others] = output;
    if (others.length > 0) throw new Error('Expected the deferred code to be one file.');
    const [unminified] = (await bundle.generate({ format: 'esm', codeSplitting: false })).output;
    const files = (await bundle.watchFiles).filter((file) => path.isAbsolute(file));
    return { source: asciiOnly(chunk.code), imports: namedImports(unminified.code), files };
  } finally {
    await bundle.close();
  }
}

/** The names that an ES module imports, by module; without those of Node's modules. */
function namedImports(code) {
  const statements = [...code.matchAll(/^import (.+) from "((?!node:)[^"]+)";$/gm)];
  return new Map(
    statements.map(([statement, what, id]) => {
      const names = /^\{ (.+) \}$/.exec(what)?.[1];
      if (names === undefined) throw new Error(`Expected the deferred code to import names, got: ${statement}`);
      return [id, names.split(', ').map((name) => name.split(' as ')[0])];
    }),
  );
}

/** Where a module is that the deferred code requires by this name. */
export function pathOfImport(name) {
  return name.startsWith(SHARED) ? path.join(packageDirectory, name.slice(SHARED.length)) : name;
}

/** All modules that the entry imports, directly or not, without the deferred code. */
async function modulesOf(entry) {
  const modules = new Set();
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: /^(node:|@opentelemetry\/|virtual:)/,
    plugins: [{ name: 'loopwatch:modules', moduleParsed: ({ id }) => void modules.add(id) }],
  });
  try {
    await bundle.generate({ format: 'cjs' });
  } finally {
    await bundle.close();
  }
  return modules;
}
