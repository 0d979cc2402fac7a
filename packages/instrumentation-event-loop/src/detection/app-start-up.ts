import process from 'node:process';
import { Set } from '../contract/built-ins.js';
import { isMainModuleLoaded } from './entry-point.js';

/** Active resources that Node's module loader or stdio can create before the application creates any. */
/** Types of what keeps the loop alive. */
export const activeResources = process.getActiveResourcesInfo.bind(process);

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
  const types = activeResources();
  for (let i = 0; i < types.length; i++) if (!LOADER_RESOURCES.has(types[i]!)) return true;
  return false;
}
