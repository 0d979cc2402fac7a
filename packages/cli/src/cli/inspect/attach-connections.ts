import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ATTACH_GOODBYE, ATTACH_SOCKET, type AttachMessage, type WorkerCount } from '../../channel/contract.js';

export interface ConnectionEvents {
  onWorkerProblem(pid: number, threadId: number, problem: string): void;
  /** The process has ended while it was watched; the code is undefined when it has not exited by itself. */
  onProcessEnd(pid: number, exitCode: number | undefined): void;
}

interface WatchedProcess {
  /** Undefined until it is ready. */
  workerCount?: WorkerCount;
  exitCode?: number;
}

const CONNECT_TIMEOUT_MS = 5000;
/** How long a process that has connected may take to reach its worker threads, one after the other. */
const READY_TIMEOUT_MS = 10_000;
const NO_WORKERS: WorkerCount = { workers: 0, pending: 0 };
const POLL_MS = 10;
/** How long the processes may take to write their last records and to leave. A blocked thread leaves when it can. */
const LEAVE_TIMEOUT_MS = 2000;

/** The connections of the watched processes: as long as one is open, its process is watched. */
export class AttachConnections {
  readonly #events: ConnectionEvents;
  readonly #server: Server;
  /** With the id that the process has said at the other end, as soon as it has. */
  readonly #sockets = new Map<Socket, number | undefined>();
  /** By the id of the process in its own pid namespace. */
  readonly #processes = new Map<number, WatchedProcess>();
  #isEnding = false;
  #onEmpty: () => void = () => undefined;

  private constructor(events: ConnectionEvents) {
    this.#events = events;
    this.#server = createServer((socket) => {
      this.#accept(socket);
    });
  }

  static async listen(directory: string, events: ConnectionEvents): Promise<AttachConnections> {
    const connections = new AttachConnections(events);
    const server = connections.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path.join(directory, ATTACH_SOCKET), resolve);
    });
    return connections;
  }

  get isEmpty(): boolean {
    return this.#sockets.size === 0;
  }

  /**
   * Resolves with the numbers of its worker threads when the process is watched; of a process that is blocked, when
   * it has connected. Rejects when it has ended before, by `hasEnded`.
   */
  async begun(pid: number, isBlocked: boolean, hasEnded: () => boolean): Promise<WorkerCount> {
    const startedAt = performance.now();
    for (;;) {
      const connected = this.#processes.get(pid);
      if (connected?.workerCount) return connected.workerCount;
      // The kernel connects at once; the process says `hello` when its loop iterates.
      const mayBeConnected = connected !== undefined || this.#sockets.size > this.#processes.size;
      if (isBlocked && mayBeConnected) return NO_WORKERS;
      if (hasEnded()) throw new Error(`Process ${pid} ended before it was watched.`);
      if (performance.now() - startedAt > (connected ? READY_TIMEOUT_MS : CONNECT_TIMEOUT_MS)) {
        if (mayBeConnected) return NO_WORKERS; // it is blocked just now
        throw new Error(`Process ${pid} cannot reach the directory of the channel. It is left as it was.`);
      }
      await sleep(POLL_MS);
    }
  }

  /** Resolves when all processes have gone. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isEmpty) resolve();
      this.#onEmpty = resolve;
    });
  }

  /**
   * Lets all processes leave, and resolves when they have: with those that do not, because their main thread is blocked.
   * The id of one that was blocked from the beginning is undefined.
   */
  async end(): Promise<readonly (number | undefined)[]> {
    this.#isEnding = true;
    const ended = this.isEmpty ? undefined : this.ended();
    for (const socket of this.#sockets.keys()) socket.end(ATTACH_GOODBYE);
    await Promise.race([ended, sleep(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
    const remaining = [...this.#sockets.values()];
    for (const socket of this.#sockets.keys()) socket.destroy();
    this.#server.close();
    return remaining;
  }

  #accept(socket: Socket): void {
    this.#sockets.set(socket, undefined);
    let unfinished = '';
    let pid: number | undefined;
    socket.setEncoding('utf8');
    socket.on('error', () => undefined); // the process has been killed; `close` follows
    socket.on('data', (text: string) => {
      const lines = (unfinished + text).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) pid = this.#receive(pid, JSON.parse(line) as AttachMessage);
      if (this.#sockets.has(socket)) this.#sockets.set(socket, pid);
    });
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (pid !== undefined) {
        if (!this.#isEnding) this.#events.onProcessEnd(pid, this.#processes.get(pid)?.exitCode);
        this.#processes.delete(pid);
      }
      if (this.isEmpty) this.#onEmpty();
    });
  }

  #receive(pid: number | undefined, message: AttachMessage): number | undefined {
    if (message.type === 'hello') {
      this.#processes.set(message.pid, {});
      return message.pid;
    }
    const connected = pid === undefined ? undefined : this.#processes.get(pid);
    if (pid === undefined || !connected) return pid;
    switch (message.type) {
      case 'ready':
        connected.workerCount = message;
        break;
      case 'workerProblem':
        this.#events.onWorkerProblem(pid, message.threadId, message.problem);
        break;
      case 'exit':
        connected.exitCode = message.code;
        break;
    }
    return pid;
  }
}
