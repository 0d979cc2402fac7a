import { bundleDeferred, pathOfImport } from './bundle-deferred.mjs';

const specifier = 'virtual:deferred';
const resolvedId = `\0${specifier}`;

/**
 * Rolldown plugin: `import { loadDeferred } from 'virtual:deferred'` gives a function that compiles the code of
 * src/deferred.ts at its first call. It is text within the package: a bundler in a user's application cannot lose a file
 * that does not exist, and the call does not have to wait for one.
 */
export function deferredPlugin() {
  return {
    name: 'loopwatch:deferred',
    resolveId(id) {
      return id === specifier ? resolvedId : null;
    },
    async load(id) {
      if (id !== resolvedId) return null;
      const { source, imports, files } = await bundleDeferred();
      for (const file of files) this.addWatchFile(file);
      // By name: an object with all exports of a module would be made while the application loads.
      const modules = [...imports].map(([id, names], i) => ({
        id,
        names: names.map((name) => ({ name, local: `${name}_${i}` })),
      }));
      const imported = modules.map(({ id, names }) => {
        const list = names.map(({ name, local }) => `${name} as ${local}`).join(', ');
        return `import { ${list} } from ${JSON.stringify(pathOfImport(id))};`;
      });
      const entries = modules.map(({ id, names }) => {
        const list = names.map(({ name, local }) => `${name}: ${local}`).join(', ');
        return `${JSON.stringify(id)}: { ${list} }`;
      });
      const code = `import vm from 'node:vm';
import { requireNode } from '\\0own-node-require';
${imported.join('\n')}

const source = ${JSON.stringify(`(function (require, exports) {${source}\n})`)};
let deferred;

export function loadDeferred() {
  if (deferred === undefined) {
    const modules = { ${entries.join(', ')} };
    const evaluate = vm.runInThisContext(source, { filename: 'loopwatch:deferred' });
    const exported = {};
    evaluate((name) => modules[name] ?? requireNode(name), exported);
    deferred = exported;
  }
  return deferred;
}
`;
      return { code, moduleSideEffects: false };
    },
  };
}
