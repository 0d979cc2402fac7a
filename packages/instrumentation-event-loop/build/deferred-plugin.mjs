import { bundleDeferred, pathOfShared } from './bundle-deferred.mjs';

const specifier = 'virtual:deferred';
const resolvedId = `\0${specifier}`;

/**
 * Rolldown plugin: `import { loadDeferred } from 'virtual:deferred'` gives a function that compiles the code of
 * src/deferred.ts at its first call. It is text within the package: a bundler in a user's application cannot lose a file
 * that does not exist, and the call does not have to wait for one. A test's build has further `plugins` for it.
 */
export function deferredPlugin(plugins) {
  return {
    name: 'loopwatch:deferred',
    resolveId(id) {
      return id === specifier ? resolvedId : null;
    },
    async load(id) {
      if (id !== resolvedId) return null;
      const { source, shared, files } = await bundleDeferred(plugins);
      for (const file of files) this.addWatchFile(file);
      const names = shared.flatMap((module) => module.names);
      if (new Set(names).size < names.length)
        throw new Error(`Expected each shared name once, got ${names.join(', ')}.`);
      // By name: an object with all exports of a module would be made while the application loads.
      const imports = shared.map(
        (module) => `import { ${module.names.join(', ')} } from ${JSON.stringify(pathOfShared(module.id))};`,
      );
      const code = `import vm from 'node:vm';
import { requireNode } from '\\0own-node-require';
${imports.join('\n')}

const source = ${JSON.stringify(source)};
let deferred;

export function loadDeferred() {
  if (deferred === undefined) {
    const evaluate = vm.runInThisContext(source, { filename: 'loopwatch:deferred' });
    deferred = evaluate(requireNode, { ${names.join(', ')} });
  }
  return deferred;
}
`;
      return { code, moduleSideEffects: false };
    },
  };
}
