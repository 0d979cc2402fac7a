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
      const imported = imports.map((name, i) => `import * as m${i} from ${JSON.stringify(pathOfImport(name))};`);
      const entries = imports.map((name, i) => `${JSON.stringify(name)}: m${i}`);
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
