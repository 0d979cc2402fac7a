import process from 'node:process';

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
 * Whether the application's entry point has been evaluated. Node evaluates ES modules, and with `--import` any entry
 * point, inside the running loop; long work there is start-up, which delays no events yet. The application has started
 * when its CommonJS main module is loaded, or when it has created a resource: a timer, a server, a socket.
 */
export function isAppStarted(): boolean {
  const main = (process as { mainModule?: { loaded?: boolean } }).mainModule;
  if (main?.loaded === true) return true;
  return process.getActiveResourcesInfo().some((type) => !LOADER_RESOURCES.has(type));
}
