import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { ATTACH_GOODBYE, ATTACH_SOCKET } from '../../channel/contract.js';
import type { ThreadDump } from '../../model/dump.js';
import { formatMs, plural } from '../../model/format.js';
import { formatPlace } from '../../model/place.js';
import { type AttachedProcess, attachToInspector, attachToProcess } from '../inspect/attach.js';
import { isOfApplication } from '../inspect/look-at-thread.js';
import { commandOf, readProcess } from '../inspect/processes.js';
import { Refusal } from '../inspect/refusal.js';
import type { Outcome } from '../program/outcome.js';
import { run, type RunOptions } from './run.js';

export interface AttachOptions extends Omit<RunOptions, 'execute'> {
  readonly for?: number;
  readonly timeout: number;
  readonly inspect?: string;
}

const CONNECT_TIMEOUT_MS = 2000;
/** How long the threads may take to write their last records and to leave. A blocked thread leaves when it can. */
const LEAVE_TIMEOUT_MS = 2000;
/** Functions that are named of a block that lasts: the one on top may be a small helper of the one that loops. */
const MAX_PLACES = 3;
const PREFIX = 'loopwatch ';

/** Watches a process that already runs, until `--for` has passed, a signal stops it, or the process ends. */
export async function attach(pid: number | undefined, options: AttachOptions): Promise<void> {
  if ((pid === undefined) === (options.inspect === undefined)) {
    throw new Refusal('the id of a process or --inspect', pid === undefined ? 'neither' : 'both', 'Give one of them.');
  }
  const info = pid === undefined ? undefined : readProcess(pid);
  await run(info ? [commandOf(info)] : [`--inspect ${options.inspect ?? ''}`], {
    ...options,
    execute: async (directory) => {
      // A signal that arrives during the attach takes effect after it: the inspector must not stay open.
      const stopped = stopSignal();
      const connections = new Connections();
      const server = await connections.listen(directory);
      try {
        const attached =
          pid === undefined
            ? await attachToInspector(options.inspect ?? '', directory, options.timeout)
            : await attachToProcess(pid, directory, options.timeout);
        await connections.begun(attached.inspector === 'hangs');
        if (!options.quiet) say(welcome(attached, options));
        await Promise.race([stopped, connections.ended(), ...(options.for === undefined ? [] : [sleep(options.for)])]);
      } finally {
        await connections.end();
        server.close();
      }
      return { code: 0 } satisfies Outcome;
    },
  });
}

/** The connections of the watched threads: as long as one is open, its thread is watched. */
class Connections {
  readonly #open = new Set<Socket>();
  #onEmpty: () => void = () => undefined;
  #hasBegun = false;
  #isReady = false;

  listen(directory: string): Promise<Server> {
    const server = createServer((socket) => {
      this.#open.add(socket);
      this.#hasBegun = true;
      socket.on('error', () => undefined); // the process has been killed; `close` follows
      socket.once('data', () => {
        this.#isReady = true;
      });
      socket.once('close', () => {
        this.#open.delete(socket);
        if (this.#open.size === 0) this.#onEmpty();
      });
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(path.join(directory, ATTACH_SOCKET), () => {
        resolve(server);
      });
    });
  }

  /** Resolves when a thread is instrumented; of a process that hangs, when a thread has connected. */
  async begun(hangs: boolean): Promise<void> {
    const deadline = performance.now() + CONNECT_TIMEOUT_MS;
    while (!this.#isReady && !(hangs && this.#hasBegun)) {
      if (performance.now() > deadline) {
        if (this.#hasBegun) return; // it is blocked just now
        throw new Error('The process cannot reach the directory of the channel. It is left as it was.');
      }
      await sleep(10);
    }
  }

  /** Resolves when all threads have gone: the process has ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#hasBegun && this.#open.size === 0) resolve();
      this.#onEmpty = resolve;
    });
  }

  /** Lets all threads leave, and resolves when they have. */
  async end(): Promise<void> {
    const ended = this.#open.size === 0 ? undefined : this.ended();
    for (const socket of this.#open) socket.end(ATTACH_GOODBYE);
    await Promise.race([ended, sleep(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
    for (const socket of this.#open) socket.destroy();
  }
}

function welcome(attached: AttachedProcess, { for: forMs, threshold }: AttachOptions): string {
  const { pid, workers, skippedWorkers, main, inspector } = attached;
  const until = forMs === undefined ? 'until Ctrl+C' : `for ${formatMs(forMs)}`;
  const threads = workers === 0 ? '' : ` and ${plural(workers, 'worker thread')}`;
  const lines = [
    `Attached to process ${pid}: watches its main thread${threads} ${until}, for blocks of at least ${threshold} ms. ` +
      'Worker threads that start from now on are not watched.',
    ...(skippedWorkers > 0 ? [`${plural(skippedWorkers, 'worker thread')} cannot be watched.`] : []),
    ...(inspector === 'was_open' ? ['Its inspector was open before, and stays open.'] : []),
    ...(inspector === 'hangs' ? ['Its inspector stays open until its event loop iterates again.'] : []),
    ...(inspector === 'hangs' ? [blockedNow(main)] : []),
  ];
  return lines.join(`\n${PREFIX}`);
}

function blockedNow({ stack }: ThreadDump): string {
  const frames = stack.some(isOfApplication) ? stack.filter(isOfApplication) : stack;
  const places = frames
    .slice(0, MAX_PLACES)
    .map((frame) => `${frame.functionName || '<anonymous>'} ${formatPlace(frame, process.cwd())}`);
  const where = places.length === 0 ? '' : `, in ${places.join(', called by ')}`;
  return `Its main thread has been blocked since before${where}. That block is not in the results.`;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
}

function say(text: string): void {
  process.stderr.write(`${PREFIX}${text}\n`);
}
