import process from 'node:process';

import { uncurryThis } from '../built-ins.js';
import { isInspectable, plainProperty } from './plain-property.js';
import { nameOfRequest } from './request-name.js';
import { arrivalOf } from './track-requests.js';

const MAX_HANDLES = 5000;

const activeHandles = getActiveHandles();

/**
 * Names of the requests of HTTP/1 that have no answer yet, not even its head: a stream of events waits for nothing. The
 * oldest first. Node's list of open sockets leads to them.
 */
export function openRequestNames(): string[] {
  const open: { readonly name: string; readonly arrival: number }[] = [];
  const handles = activeHandles?.(process) ?? [];
  for (let i = 0; i < handles.length && i < MAX_HANDLES; i++) {
    const response = plainProperty(handles[i], '_httpMessage');
    // The response of a client is a request itself, and has none.
    if (!isInspectable(response) || plainProperty(response, '_header') !== null) continue;
    const name = nameOfRequest(plainProperty(response, 'req'));
    if (name !== undefined) open[open.length] = { name, arrival: arrivalOf(response) };
  }
  return open.sort((a, b) => a.arrival - b.arrival).map(({ name }) => name);
}

/** Taken at load: the program may replace it. Node.js has it since its first release, and documents it as deprecated. */
function getActiveHandles(): ((self: unknown) => readonly unknown[]) | undefined {
  const method = (process as { _getActiveHandles?: (this: unknown) => readonly unknown[] })._getActiveHandles;
  return method && uncurryThis(method);
}
