import vm from 'node:vm';

/**
 * The thread's first global object, where the watchdog's question is evaluated. Code that runs in a `node:vm` context, as
 * every test file under Jest does, has another one as its `globalThis`.
 */
export const mainGlobal = vm.runInThisContext('globalThis') as object;
