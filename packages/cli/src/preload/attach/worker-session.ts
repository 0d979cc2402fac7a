import { createRequire } from 'node:module';

import { guarded } from '../guard.js';

/** Its callbacks are guarded. */
export interface Session {
  disconnect(): void;
  post(method: string, params: object, callback: (error: Error | null) => void): void;
  onEvent(event: string, listener: (message: { readonly params: never }) => void): void;
}

/** The part of `inspector.Session` that is used here. */
interface InspectorSession extends Omit<Session, 'onEvent'> {
  connect(): void;
  on: Session['onEvent'];
}

/** A session of this process with itself, which opens no port. */
export function openSession(): Session {
  // Required here, not imported: loading it throws where Node.js was built without the inspector.
  const inspector = createRequire('/')('node:inspector') as {
    readonly Session: new () => InspectorSession;
  };
  const session = new inspector.Session();
  session.connect();
  return {
    disconnect: () => {
      session.disconnect();
    },
    post: (method, params, callback) => {
      session.post(method, params, guarded(callback));
    },
    onEvent: (event, listener) => {
      session.on(event, guarded(listener));
    },
  };
}
