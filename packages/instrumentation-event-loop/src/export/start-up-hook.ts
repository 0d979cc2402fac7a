import { diag } from '@opentelemetry/api';
import type { StartUpHook, StartUpInfo } from '../types.js';
import { safely } from './safely.js';

/** Calls the user's hook and catches its errors. */
export function callStartUpHook(hook: StartUpHook | undefined, startUp: StartUpInfo): void {
  try {
    hook?.(Object.freeze({ ...startUp }));
  } catch (error) {
    safely(() => {
      diag.error('The startUpHook has thrown an error.', error);
    }, undefined);
  }
}
