import { createRequire } from 'node:module';
import process from 'node:process';
import { ANY_PATH } from './any-path.js';
import { Reflect } from './built-ins.js';

// Node.js 20.6 has none.
const getBuiltinModule: unknown = Reflect.get(process, 'getBuiltinModule');

/**
 * A module of Node.js that not every program needs, loaded when it is. `require` would call what the application has put
 * in the place of `Module.prototype.require` and `Module._load`, and its hooks of `module.registerHooks`.
 */
export function nodeModule(name: `node:${string}`): unknown {
  if (typeof getBuiltinModule !== 'function') return createRequire(ANY_PATH)(name);
  return Reflect.apply(getBuiltinModule, process, [name]);
}
