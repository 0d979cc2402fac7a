import vm from 'node:vm';

let realm: vm.Context | undefined;

/**
 * A realm of this package, one for each thread: its built-ins are others than those of the application, which can replace
 * its own, break their prototypes or freeze them. It takes some milliseconds to create, so it is created with the first
 * heartbeat and kept.
 */
export function ownRealm(): vm.Context {
  // Without a prototype: a name that the realm does not have must not be looked up at the application's.
  realm ??= vm.createContext(Object.create(null) as vm.Context, { name: 'loopwatch' });
  return realm;
}
