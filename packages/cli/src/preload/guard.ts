import { guarded, OWN_LISTENER } from '@loopwatch/instrumentation-event-loop/internal';

/*
 * Every function of the preload that Node.js or the program calls goes through the instrumentation's guard: what it throws
 * is dropped, because rethrown it would end the program.
 */
export { attempt, guarded } from '@loopwatch/instrumentation-event-loop/internal';

/** The listener in its guard. By its mark the instrumentation knows that it is not the program's. */
export function ownListener<A extends [unknown?, unknown?, unknown?]>(
  listener: (...args: A) => void,
): (...args: A) => void {
  const own = guarded(listener);
  Reflect.defineProperty(own, OWN_LISTENER, { value: true });
  return own;
}
