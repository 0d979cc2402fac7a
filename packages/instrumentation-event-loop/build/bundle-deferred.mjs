import path from 'node:path';

import { rolldown } from 'rolldown';
import { minifySync } from 'rolldown/utils';

import { asciiOnly } from './ascii-plugin.mjs';
import { numbersPlugin } from './numbers-plugin.mjs';
import { watchdogPlugin } from './watchdog-plugin.mjs';

const packageDirectory = path.resolve(import.meta.dirname, '..');
const deferredEntry = path.join(packageDirectory, 'src/deferred.ts');
const mainEntry = path.join(packageDirectory, 'src/index.ts');
/** Constants without state: as a second copy they cost less than a name for each. */
const copied = ['src/semconv.ts', 'src/contract/registry-layout.ts'].map((file) => path.join(packageDirectory, file));
const SHARED = 'shared:';

/**
 * Bundles src/deferred.ts into the source of one function, without the modules that the rest of the package loads, too:
 * these exist once, with their state. What the function uses of them is given to it as properties of its second
 * argument. Returns its source, the modules that it shares, each with the names that it uses of it, and the source files.
 * A test's build has further `plugins`, which come first.
 */
export async function bundleDeferred(plugins = []) {
  const mainModules = await modulesOf(mainEntry);
  const sharedPlugin = {
    name: 'loopwatch:shared',
    async resolveId(id, importer) {
      if (id.startsWith('@opentelemetry/')) return { id: SHARED + id, external: true };
      if (importer === undefined || !/^\.{1,2}\//.test(id)) return null;
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      if (resolved === null || !mainModules.has(resolved.id) || copied.includes(resolved.id)) return null;
      return { id: SHARED + path.relative(packageDirectory, resolved.id), external: true };
    },
  };
  const bundle = await rolldown({
    input: deferredEntry,
    platform: 'node',
    external: /^node:/,
    plugins: [...plugins, sharedPlugin, watchdogPlugin(), numbersPlugin()],
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, comments: false });
    const [chunk, ...others] = output;
    if (others.length > 0) throw new Error('Expected the deferred code to be one file.');
    const files = (await bundle.watchFiles).filter((file) => path.isAbsolute(file));
    return { ...functionOf(chunk.code), files };
  } finally {
    await bundle.close();
  }
}

/**
 * Makes a function of an ES module, with variables for its imports: a minifier shortens these, and does not have to call
 * them as `(0, module.name)()`, as it does in CommonJS.
 */
function functionOf(code) {
  const shared = [];
  const sharedNames = [];
  const constants = [];
  const body = code
    .replaceAll(/^import (?:([\w$]+)(?:, )?)?(?:\{ (.+) \})? ?from "(.+)";$/gm, (_, defaultName, names = '', id) => {
      const variables = names.replaceAll(' as ', ': ');
      if (id.startsWith(SHARED)) {
        shared.push({ id: id.slice(SHARED.length), names: names.split(', ').map((name) => name.split(' as ')[0]) });
        sharedNames.push(variables);
      } else {
        if (defaultName !== undefined) constants.push(`${defaultName} = requireNode("${id}")`);
        if (variables !== '') constants.push(`{ ${variables} } = requireNode("${id}")`);
      }
      return '';
    })
    .replace(
      /^export \{ (.+) \};\s*$/m,
      (_, names) => `return { ${names.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2: $1')} };`,
    );
  if (/^(import|export) /m.test(body)) throw new Error('Expected the deferred code to import and to export names.');
  constants.push(`{ ${sharedNames.join(', ')} } = shared`);
  const source = `deferred = function (requireNode, shared) { const ${constants.join(', ')};\n${body} }`;
  // The names of classes and their methods stay: they stand in stacks and profiles. Those of functions would take 7,100
  // characters more, and each function is called by such a method.
  const keepNames = { function: false, class: true };
  const minified = minifySync('deferred.js', source, { compress: true, mangle: { keepNames } });
  if (minified.errors.length > 0) throw new Error(minified.errors.map(({ message }) => message).join('\n'));
  return { source: asciiOnly(minified.code).replace(/^deferred=([^]+);\s*$/, '($1)'), shared };
}

/** Where a module is of which the deferred code uses something. */
export function pathOfShared(id) {
  return id.startsWith('src/') ? path.join(packageDirectory, id) : id;
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
