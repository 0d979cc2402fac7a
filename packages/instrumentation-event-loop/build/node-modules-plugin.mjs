// In an ES module, Node evaluates all exports of a module of its own at the first import, and some of them are getters
// that load more. Those of `node:process` open stdin, stdout and stderr, with the modules for sockets and files; those
// of `node:util` load what `assert` compares with, which opens stderr; those of `node:timers` and `node:fs` load their
// versions with promises. Together that is half of the CPU of loading this package where nothing else has imported them.
// `process.getBuiltinModule` exists from Node.js 20.16 and 22.3 on; it resolves no file name, as `require` does.
const REQUIRE_ID = '\0own-node-require';
const replacements = new Map([
  [
    REQUIRE_ID,
    `import { createRequire } from 'node:module';
export const requireNode =
  globalThis.process.getBuiltinModule ?? /* @__PURE__ */ createRequire('/');`,
  ],
  ['node:process', 'export default globalThis.process;'],
  [
    'node:async_hooks',
    required('node:async_hooks', ['AsyncResource', 'createHook', 'executionAsyncId', 'executionAsyncResource']),
  ],
  ['node:diagnostics_channel', required('node:diagnostics_channel', ['channel', 'subscribe', 'unsubscribe'])],
  ['node:fs', required('node:fs', ['realpathSync', 'writeSync'])],
  ['node:os', required('node:os', ['constants'])],
  ['node:path', required('node:path', [])],
  ['node:perf_hooks', required('node:perf_hooks', ['performance', 'PerformanceObserver'])],
  ['node:timers', required('node:timers', [])],
  ['node:url', required('node:url', ['fileURLToPath', 'pathToFileURL'])],
  ['node:util', required('node:util', ['TextDecoder', 'TextEncoder', 'types'])],
  // Not needed before the first block or heartbeat.
  ['node:vm', requiredAtCall('node:vm', ['createContext', 'runInContext', 'runInThisContext'])],
  [
    'node:worker_threads',
    required('node:worker_threads', [
      'BroadcastChannel',
      'getEnvironmentData',
      'isMainThread',
      'MessagePort',
      'receiveMessageOnPort',
      'setEnvironmentData',
      'threadId',
      'Worker',
    ]),
  ],
]);

/** Rolldown plugin: imports of these modules give the same objects without the evaluation of all their exports. */
export function nodeModulesPlugin() {
  return {
    name: 'loopwatch:node-modules',
    resolveId(id) {
      if (id === REQUIRE_ID) return id;
      return replacements.has(id) ? `\0own-${id}` : null;
    },
    load(id) {
      const code =
        replacements.get(id) ?? (id.startsWith('\0own-') ? replacements.get(id.slice('\0own-'.length)) : undefined);
      return code === undefined ? null : { code, moduleSideEffects: false };
    },
  };
}

function required(name, exports) {
  return `import { requireNode } from ${JSON.stringify(REQUIRE_ID)};
const required = /* @__PURE__ */ requireNode('${name}');
export default required;
${exports.length === 0 ? '' : `export const { ${exports.join(', ')} } = required;`}`;
}

function requiredAtCall(name, functions) {
  const calls = functions.map((key) => `${key}: (...args) => requireNode('${name}').${key}(...args),`);
  return `import { requireNode } from ${JSON.stringify(REQUIRE_ID)};
export default { ${calls.join(' ')} };`;
}
