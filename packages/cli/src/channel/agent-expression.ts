import type { AttachOptions, AttachWorkerOptions } from './contract.js';

/**
 * The expression that loads the agent into a running thread and calls its function `entry`. The agent is evaluated as a
 * CommonJS module: the process needs no file of it, and its module cache does not change. The value is what `entry`
 * returns: a text says what the thread is instead of one that can be watched; then nothing of the agent stays on
 * `globalThis`.
 */
export function agentExpression(
  source: string,
  ...[entry, options]: [entry: 'start', options: AttachOptions] | [entry: 'startInWorker', options: AttachWorkerOptions]
): string {
  return `(() => {
    const load = process.getBuiltinModule ?? require;
    const source = ${JSON.stringify(source)};
    const module = { exports: {} };
    const keys = Object.getOwnPropertySymbols(globalThis);
    const start = () => {
      const own = load('node:module').createRequire('/');
      load('node:vm').compileFunction(source, ['require', 'module', 'exports'], {
        filename: 'loopwatch:agent',
      })(own, module, module.exports);
      return module.exports.${entry}(${JSON.stringify(options)}, keys, source);
    };
    let answer;
    try {
      answer = start();
    } catch (error) {
      answer = 'one in which the agent does not start (' + String(error?.message ?? error) + ')';
    }
    if (typeof answer === 'string') {
      for (const key of Object.getOwnPropertySymbols(globalThis)) {
        if (!keys.includes(key) && key.description?.startsWith('loopwatch.')) Reflect.deleteProperty(globalThis, key);
      }
    }
    return answer;
  })()`;
}
