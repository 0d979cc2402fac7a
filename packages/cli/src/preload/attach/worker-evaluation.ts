import process from 'node:process';

import type { Session } from './worker-session.js';

/** Evaluates an expression in the worker thread that has this session, and calls back with its value, or its error as a text. */
export type Evaluate = (sessionId: string, expression: string, callback: (answer: unknown) => void) => void;

interface MessageFromWorker {
  readonly sessionId: string;
  readonly message: string;
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly result?: { readonly value?: unknown; readonly description?: string } };
}

/** Reaches worker threads by the session that their process has with itself. A thread that has ended never answers. */
export function evaluatorOf(session: Session): Evaluate {
  const callbacks = new Map<number, (answer: unknown) => void>();
  let lastId = 0;
  session.onEvent('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { message } = params as MessageFromWorker;
    const { id = 0, result } = JSON.parse(message) as Answer;
    const callback = callbacks.get(id);
    callbacks.delete(id);
    callback?.(result?.result?.value ?? result?.result?.description);
  });
  return (sessionId, expression, callback) => {
    const id = ++lastId;
    callbacks.set(id, callback);
    const params = {
      expression,
      returnByValue: true,
      silent: true,
      disableBreaks: true,
      includeCommandLineAPI: !('getBuiltinModule' in process),
    };
    const message = JSON.stringify({ id, method: 'Runtime.evaluate', params });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message }, (error) => {
      if (error) callbacks.delete(id);
    });
  };
}
