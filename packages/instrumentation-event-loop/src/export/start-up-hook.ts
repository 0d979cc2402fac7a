import type { StartUpHook, StartUpInfo } from '../types.js';
import { callHook } from './call-hook.js';

/** Calls the user's hook and catches its errors. */
export function callStartUpHook(hook: StartUpHook | undefined, startUp: StartUpInfo): void {
  callHook(() => hook?.(Object.freeze({ ...startUp })), 'The startUpHook has thrown an error.');
}
