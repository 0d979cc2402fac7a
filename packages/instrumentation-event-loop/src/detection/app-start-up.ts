import process from 'node:process';

/** Active resources that Node's own module loader or bare stdio can hold before the application has any. */
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
 * Whether the application's entry point has been evaluated. ES modules, and everything behind `--import`, are evaluated
 * inside the running loop; long work there is start-up and blocks nobody. The application is up when its CommonJS main
 * module is loaded or when it has armed anything: a timer, a server, a socket.
 */
export function isAppStarted(): boolean {
  const main = (process as { mainModule?: { loaded?: boolean } }).mainModule;
  if (main?.loaded === true) return true;
  return process.getActiveResourcesInfo().some((type) => !LOADER_RESOURCES.has(type));
}
