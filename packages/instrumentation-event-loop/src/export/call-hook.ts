import { types } from 'node:util';
import { diag } from '@opentelemetry/api';
import { promiseThen } from '../contract/built-ins.js';
import { safely } from './safely.js';

/** Calls a hook of the user. What it throws, or rejects where it is asynchronous, is logged with the message. */
export function callHook(hook: () => unknown, message: string): void {
  const reportError = (error: unknown): void => {
    safely(() => {
      diag.error(message, error);
    }, undefined);
  };
  try {
    const result = hook();
    // A promise that is rejected would end the application.
    if (types.isPromise(result)) void promiseThen(result, undefined, reportError);
  } catch (error) {
    reportError(error);
  }
}
