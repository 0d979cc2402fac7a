import process from 'node:process';

import { uncurryThis } from '../built-ins.js';
import { plainProperty } from './plain-property.js';
import { nameOfRequest } from './request-name.js';

const MAX_HANDLES = 5000;

const activeHandles = getActiveHandles();

/**
 * Names of the requests of HTTP/1 that have no answer yet, not even its head: a stream of events waits for nothing. By
 * Node's list of open sockets, so that nothing has to be followed while the pool is free.
 */
export function openRequestNames(): string[] {
  const names: string[] = [];
  const handles = activeHandles?.(process) ?? [];
  for (let i = 0; i < handles.length && i < MAX_HANDLES; i++) {
    const response = plainProperty(handles[i], '_httpMessage');
    // The response of a client is a request itself, and has none.
    const name =
      plainProperty(response, '_header') === null ? nameOfRequest(plainProperty(response, 'req')) : undefined;
    if (name !== undefined) names[names.length] = name;
  }
  return names;
}

/** Taken at load: the program may replace it. Node.js has it since its first release, and documents it as deprecated. */
function getActiveHandles(): ((self: unknown) => readonly unknown[]) | undefined {
  const method = (process as { _getActiveHandles?: (this: unknown) => readonly unknown[] })._getActiveHandles;
  return method && uncurryThis(method);
}
