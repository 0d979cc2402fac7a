import { AsyncResource } from 'node:async_hooks';
import vm from 'node:vm';

/**
 * The global object of the thread's main realm, where the watchdog's request is evaluated. Code in a `node:vm` context,
 * such as every test file under Jest, has another object as its `globalThis`.
 */
export function mainGlobal(): object {
  // Node creates its modules in the main realm. Where this is that realm, nothing has to be compiled.
  return AsyncResource instanceof Function ? globalThis : (vm.runInThisContext('globalThis') as object);
}
