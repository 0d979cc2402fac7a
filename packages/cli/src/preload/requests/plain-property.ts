import { types } from 'node:util';

import { Object } from '../built-ins.js';

const { isProxy } = types;

/**
 * Reads a property of the program's objects without running its code: undefined for a getter and for a proxy. Looks at
 * the object itself, not at its prototypes.
 */
export function plainProperty(object: unknown, key: string | symbol): unknown {
  return isInspectable(object) ? Object.getOwnPropertyDescriptor(object, key)?.value : undefined;
}

export function isInspectable(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && !isProxy(value);
}
