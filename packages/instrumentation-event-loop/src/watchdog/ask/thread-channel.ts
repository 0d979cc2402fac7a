import type { Registry } from '../../contract/registry.js';
import { CountedSession } from './counted-session.js';
import { threadIdOf, type AttachedToWorker } from './worker-session.js';

export type OnReply = (error: unknown, result?: unknown) => void;

/** A connection to the inspector of one thread. It ends with `close`, or with the thread. */
export interface ThreadChannel {
  post(method: string, params: object, onReply: OnReply): void;
  /** V8 ends what the connection has enabled, also a pause of its own. */
  close(): void;
}

export interface ChannelObserver {
  onOpen(channel: ThreadChannel): void;
  /** The thread has stopped. */
  onPaused(): void;
  onClose(): void;
}

export type OpenChannel = typeof openChannel;

export function openChannel(registry: Registry, threadId: number, observer: ChannelObserver): void {
  if (threadId === 0) openMainThread(registry, observer);
  else openWorker(registry, threadId, observer);
}

function openMainThread(registry: Registry, observer: ChannelObserver): void {
  CountedSession.open(
    registry,
    (session) => {
      session.on('Debugger.paused', () => {
        observer.onPaused();
      });
      observer.onOpen({
        post: (method, params, onReply) => {
          session.post(method, params, onReply);
        },
        close: () => {
          session.close();
        },
      });
    },
    () => {
      observer.onClose();
    },
  );
}

/** Through the main thread, as in `WorkerSession`: this one is for a single worker, and for other messages. */
function openWorker(registry: Registry, wantedId: number, observer: ChannelObserver): void {
  CountedSession.open(
    registry,
    (session) => {
      const replies = new Map<number, OnReply>();
      let target: string | undefined;
      let lastId = 0;
      const post: ThreadChannel['post'] = (method, params, onReply) => {
        const id = ++lastId;
        replies.set(id, onReply);
        const message = JSON.stringify({ id, method, params });
        session.post('NodeWorker.sendMessageToWorker', { sessionId: target, message }, (error) => {
          if (error) session.close();
        });
      };
      const close = (): void => {
        session.close();
      };
      session.on('NodeWorker.attachedToWorker', (params) => {
        const { sessionId, workerInfo } = params as AttachedToWorker;
        if (threadIdOf(workerInfo.title) !== wantedId) return;
        target = sessionId;
        observer.onOpen({ post, close });
      });
      session.on('NodeWorker.receivedMessageFromWorker', (params) => {
        const { sessionId, message } = params as { readonly sessionId: string; readonly message: string };
        // Of thousands of scripts that `Debugger.enable` lists, none is parsed here.
        if (sessionId !== target || message.startsWith(SCRIPT_PARSED)) return;
        // It describes the whole stack with all variables.
        if (message.startsWith(PAUSED)) {
          observer.onPaused();
          return;
        }
        const { id, result, error } = JSON.parse(message) as Message;
        const onReply = id === undefined ? undefined : replies.get(id);
        if (id !== undefined) replies.delete(id);
        onReply?.(error ?? null, result);
      });
      session.on('NodeWorker.detachedFromWorker', (params) => {
        if ((params as { readonly sessionId: string }).sessionId === target) session.close();
      });
      session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, () => {
        if (target === undefined) session.close(); // the thread has ended
      });
    },
    () => {
      observer.onClose();
    },
  );
}

const SCRIPT_PARSED = '{"method":"Debugger.scriptParsed"';
const PAUSED = '{"method":"Debugger.paused"';

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}
