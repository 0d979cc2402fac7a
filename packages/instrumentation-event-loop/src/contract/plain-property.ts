import { types } from 'node:util';

/**
 * The value of an object's own property, read without running code of the application: undefined for a getter and for a
 * proxy. Does not look at prototypes.
 */
export function plainProperty(object: unknown, key: string): unknown {
  return ownProperty(object, key)?.value;
}

export function ownProperty(object: unknown, key: string): PropertyDescriptor | undefined {
  return isInspectable(object) ? Object.getOwnPropertyDescriptor(object, key) : undefined;
}

/** Whether reading property descriptors and the prototype of the value runs no code of the application. */
export function isInspectable(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && !types.isProxy(value);
}
