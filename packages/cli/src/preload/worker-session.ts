import { createRequire } from 'node:module';
import process from 'node:process';

import { guarded } from './guard.js';

/** The part of `inspector.Session` that is used here. */
interface Session {
  disconnect(): void;
  post(method: string, params: object, callback: (error: Error | null) => void): void;
  on(event: string, listener: (message: { readonly params: never }) => void): void;
}

/** A session of this process with itself, which opens no port. Its callbacks are guarded. */
export function openSession(): Session {
  // Required here, not imported: loading it throws where Node.js was built without the inspector.
  const inspector = createRequire(process.execPath)('node:inspector') as {
    readonly Session: new () => Session & { connect(): void };
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
    on: (event, listener) => {
      session.on(event, guarded(listener));
    },
  };
}
