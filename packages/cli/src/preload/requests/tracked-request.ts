import type { WeakRef } from '../built-ins.js';

/**
 * A request as the resources of the program keep it: a timer or a connection that it creates keeps it for as long as
 * that exists, also after an attach has ended. So the request itself is only referred to weakly.
 */
export interface TrackedRequest {
  /** The response, which leads to the request, or the stream of HTTP/2. */
  readonly exchange: WeakRef<object>;
  /** Of HTTP/2, whose stream does not have its headers. */
  name?: string;
  /** Of HTTP/1, once it has been answered: V8 may have collected the response since. */
  answeredName?: string | undefined;
  /** Async id of the callbacks in which its body arrives. */
  readonly bodyId: number | undefined;
}
