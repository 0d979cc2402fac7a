import { setTimeout as sleep } from 'node:timers/promises';

import { type InspectorClient, NoAnswer } from './inspector-client.js';

/** A worker thread, reached through the session with the main thread. */
export interface WorkerTarget {
  readonly threadId: number;
  readonly threadName: string;
  call(method: string, params: object, ms: number): Promise<unknown>;
}

interface AttachedToWorker {
  readonly sessionId: string;
  readonly workerInfo: { readonly title: unknown };
}

/** Loopwatch's own thread, where the program has the instrumentation: it is no part of the program. */
const WATCHDOG_NAME = 'loopwatch-watchdog';
/** Node.js attaches the running workers one after the other, after it has answered. */
const ATTACH_MS = 100;
/** More than any program has that is not hostile. */
const MAX_WORKERS = 10_000;

/** Attaches to all worker threads of the program. They stay attached until the session ends. */
export async function attachToWorkers(client: InspectorClient, timeoutMs: number): Promise<readonly WorkerTarget[]> {
  const workers: WorkerTarget[] = [];
  const pending = new Map<number, (message: { result?: unknown }) => void>();
  let lastId = 0;
  client.on('NodeWorker.attachedToWorker', (params) => {
    const { sessionId, workerInfo } = params as AttachedToWorker;
    const [, id, name = ''] = /^\[?worker (\d{1,10})\]? ?(.{0,1000})/i.exec(String(workerInfo.title)) ?? [];
    if (name === WATCHDOG_NAME || workers.length >= MAX_WORKERS) return;
    workers.push({
      threadId: Number(id),
      threadName: name === '' || name === 'WorkerThread' ? 'worker' : name,
      call: async (method, params_, ms) => {
        const messageId = ++lastId;
        const answered = new Promise<{ result?: unknown }>((resolve) => pending.set(messageId, resolve));
        const message = JSON.stringify({ id: messageId, method, params: params_ });
        await client.call('NodeWorker.sendMessageToWorker', { sessionId, message }, ms);
        const answer = await Promise.race([answered, sleep(ms, undefined, { ref: false })]);
        pending.delete(messageId);
        if (answer === undefined) throw new NoAnswer(`Worker ${id} got no answer in ${ms} ms.`);
        return answer.result;
      },
    });
  });
  client.on('NodeWorker.receivedMessageFromWorker', (params) => {
    const message = parseAnswer((params as { message: string }).message);
    if (message?.id !== undefined) pending.get(message.id)?.(message);
  });
  await client.call('NodeWorker.enable', { waitForDebuggerOnStart: false }, timeoutMs);
  await sleep(ATTACH_MS);
  return workers.sort((a, b) => a.threadId - b.threadId);
}

function parseAnswer(text: string): { readonly id?: number; readonly result?: unknown } | undefined {
  try {
    return JSON.parse(text) as { readonly id?: number; readonly result?: unknown };
  } catch {
    return undefined;
  }
}
