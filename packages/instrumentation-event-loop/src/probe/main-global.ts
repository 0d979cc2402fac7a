import vm from 'node:vm';

/**
 * The global object of the thread's main realm, where the watchdog's request is evaluated. Code in a `node:vm` context,
 * such as every test file under Jest, has another object as its `globalThis`.
 */
export const mainGlobal = vm.runInThisContext('globalThis') as object;
