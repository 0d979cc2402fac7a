// In an ES module, Node evaluates all exports of a module of its own at the first import, and some of them are getters
// that load more. Those of `node:process` open stdin, stdout and stderr, with the modules for sockets and files; those
// of `node:util` load what `assert` compares with, which opens stderr; those of `node:timers` load `timers/promises`.
// Together that is half of the CPU of loading this package where nothing else has imported them.
const replacements = new Map([
  ['node:process', 'export default globalThis.process;'],
  ['node:util', required('node:util', ['TextDecoder', 'TextEncoder', 'types'])],
  ['node:timers', required('node:timers', [])],
]);

/** Rolldown plugin: imports of these modules give the same objects without the evaluation of all their exports. */
export function nodeModulesPlugin() {
  return {
    name: 'loopwatch:node-modules',
    resolveId(id) {
      return replacements.has(id) ? `\0own-${id}` : null;
    },
    load(id) {
      const code = id.startsWith('\0own-') ? replacements.get(id.slice('\0own-'.length)) : undefined;
      return code === undefined ? null : { code, moduleSideEffects: false };
    },
  };
}

function required(name, exports) {
  return `import { createRequire } from 'node:module';
const required = /* @__PURE__ */ createRequire(globalThis.process.execPath)('${name}');
export default required;
${exports.length === 0 ? '' : `export const { ${exports.join(', ')} } = required;`}`;
}
