import process from 'node:process';
import { isMainModuleLoaded } from './entry-point.js';

/** Active resources that Node's module loader or stdio can create before the application creates any. */
const LOADER_RESOURCES = new Set([
  'FSReqPromise',
  'FileHandle',
  'FileHandleCloseReq',
  'CloseReq',
  'MessagePort',
  'TTYWrap',
  'PipeWrap',
]);

/**
 * Whether the application runs in the loop, as far as can be seen: its CommonJS main module is loaded, or it has created
 * a resource: a timer, a server, a socket. An entry point that waits in a top-level `await` may not be evaluated then.
 */
export function isAppStarted(): boolean {
  if (isMainModuleLoaded()) return true;
  return process.getActiveResourcesInfo().some((type) => !LOADER_RESOURCES.has(type));
}
