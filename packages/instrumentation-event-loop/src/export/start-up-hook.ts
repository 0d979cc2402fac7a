import { types } from 'node:util';
import { diag } from '@opentelemetry/api';
import { promiseThen } from '../contract/built-ins.js';
import type { StartUpHook, StartUpInfo } from '../types.js';
import { safely } from './safely.js';

/** Calls the user's hook and catches its errors. */
export function callStartUpHook(hook: StartUpHook | undefined, startUp: StartUpInfo): void {
  try {
    const result: unknown = hook?.(Object.freeze({ ...startUp }));
    if (types.isPromise(result)) void promiseThen(result, undefined, reportError);
  } catch (error) {
    reportError(error);
  }
}

/** A promise of an asynchronous hook that is rejected would end the application. */
function reportError(error: unknown): void {
  safely(() => {
    diag.error('The startUpHook has thrown an error.', error);
  }, undefined);
}
