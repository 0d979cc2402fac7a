import { Object } from '../built-ins.js';
import { isInspectable, plainProperty } from './plain-property.js';

/** Characters of the name of a test. */
const MAX_NAME = 200;

/**
 * The test or suite of `node:test` whose function runs, until its first `await`, by the async resource: Node's own object
 * of the test. Not by the channel on which Node publishes tests: for a subscriber, it calls them with another `this`.
 */
export function nameOfTest(resource: unknown): string | undefined {
  const name = plainProperty(resource, 'name');
  if (typeof name !== 'string' || typeof plainProperty(resource, 'testNumber') !== 'number') return undefined;
  const kind = kindOf(resource);
  if (kind === undefined) return undefined;
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return `${kind} '${short}'`;
}

/** By Node's own classes. A hook has another one, and the name of its function. */
function kindOf(resource: unknown): 'test' | 'suite' | undefined {
  if (!isInspectable(resource)) return undefined;
  const className = plainProperty(plainProperty(Object.getPrototypeOf(resource), 'constructor'), 'name');
  if (className === 'Test') return 'test';
  return className === 'Suite' ? 'suite' : undefined;
}
