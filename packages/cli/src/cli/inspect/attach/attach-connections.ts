import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { AttachMessage, AttachOptions, WorkerCount } from '../../../channel/contract.js';
import { isConnected } from '../process/sockets.js';
import { attachMessages } from './attach-messages.js';

export interface ConnectionEvents {
  onWorkerProblem(pid: number, threadId: number, problem: string): void;
  /** The process has ended while it was watched; the code is undefined when it has not exited by itself. */
  onProcessEnd(pid: number, exitCode: number | undefined): void;
}

/** How the watch of a process has begun. */
export interface Begun extends WorkerCount {
  /** It has connected, and is not watched: its main thread is in a block that has begun meanwhile. */
  readonly isLate?: true;
}

interface WatchedProcess {
  /** Undefined where the process is blocked: it connects when its loop iterates. */
  socket?: Socket;
  /** Undefined until it is ready. */
  workerCount?: WorkerCount;
  exitCode?: number;
  problemCount: number;
}

const CONNECT_TIMEOUT_MS = 5000;
/** How long a process that has connected may take to reach its worker threads, one after the other. */
const READY_TIMEOUT_MS = 10_000;
const NO_WORKERS: WorkerCount = { workers: 0, pending: 0 };
const POLL_MS = 10;
/** How often a process that has not connected is looked at, ms. */
const HAS_ENDED_MS = 200;
/** How long the processes may take to write their last records and to leave. */
const LEAVE_TIMEOUT_MS = 2000;
/** The same where those that have not left are known to be blocked: they leave when they can. */
const BLOCKED_LEAVE_TIMEOUT_MS = 300;
const LEAVE_POLL_MS = 50;
/** Messages about worker threads that one process may have printed. */
const MAX_PROBLEMS = 100;

/**
 * The connections of the watched processes: as long as one is open, its process is watched. They arrive on a port of
 * 127.0.0.1, which every user of this machine reaches: the kernel says which process holds the other end.
 */
export class AttachConnections {
  readonly #events: ConnectionEvents;
  readonly #server: Server;
  readonly #greeting = randomUUID();
  /** The processes that may connect, by their ids here. */
  readonly #expected = new Set<number>();
  readonly #processes = new Map<number, WatchedProcess>();
  #isEnding = false;
  #onEmpty: () => void = () => undefined;

  private constructor(events: ConnectionEvents) {
    this.#events = events;
    this.#server = createServer((socket) => {
      this.#accept(socket);
    });
  }

  static async listen(events: ConnectionEvents): Promise<AttachConnections> {
    const connections = new AttachConnections(events);
    const server = connections.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    server.on('error', () => undefined); // no descriptor is left for a connection
    return connections;
  }

  /** What a process must know to connect. */
  get address(): Pick<AttachOptions, 'port' | 'greeting'> {
    const { port } = this.#server.address() as AddressInfo;
    return { port, greeting: this.#greeting };
  }

  get isEmpty(): boolean {
    return this.#processes.size === 0;
  }

  /** To be called before the process gets to know the port. */
  expect(pid: number): void {
    this.#expected.add(pid);
  }

  /**
   * Resolves with the numbers of its worker threads when the process is watched; at once where it is blocked. Rejects
   * when it has ended before, by `hasEnded`.
   */
  async begun(pid: number, isBlocked: boolean, hasEnded: () => boolean): Promise<Begun> {
    const startedAt = performance.now();
    for (;;) {
      const connected = this.#processes.get(pid);
      if (connected?.workerCount) return connected.workerCount;
      if (hasEnded()) throw new Error(`Process ${pid} ended before it was watched.`);
      if (isBlocked) {
        if (!connected) this.#awaitConnection(pid, hasEnded);
        return NO_WORKERS;
      }
      if (performance.now() - startedAt > (connected ? READY_TIMEOUT_MS : CONNECT_TIMEOUT_MS)) {
        if (connected) return { ...NO_WORKERS, isLate: true };
        throw new Error(
          `Process ${pid} has not connected to port ${this.address.port} of 127.0.0.1 within ${CONNECT_TIMEOUT_MS / 1000} s: ` +
            'its main thread is blocked, or it cannot connect. It is not watched. What was added to it is removed when ' +
            `its event loop iterates. Where it is now: loopwatch dump ${pid}`,
        );
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
   * Lets all processes leave, and resolves when they have: with the ids of those that do not, because their main thread
   * is blocked. Does not wait long for those of which `isBlocked` says so.
   */
  async end(isBlocked: (pid: number) => boolean): Promise<readonly number[]> {
    this.#isEnding = true;
    const ended = this.isEmpty ? undefined : this.ended();
    for (const { socket } of this.#processes.values()) socket?.end();
    const startedAt = performance.now();
    for (let waitedMs = 0; !this.isEmpty && waitedMs < LEAVE_TIMEOUT_MS; waitedMs = performance.now() - startedAt) {
      // What is known of a block that lasts comes from the process: there may be nothing yet.
      if (waitedMs > BLOCKED_LEAVE_TIMEOUT_MS && [...this.#processes.keys()].every(isBlocked)) break;
      await Promise.race([ended, sleep(LEAVE_POLL_MS, undefined, { ref: false })]);
    }
    const remaining = [...this.#processes.keys()];
    for (const { socket } of this.#processes.values()) socket?.destroy();
    this.#server.close();
    return remaining;
  }

  /** A process that is blocked may also end before it has connected. */
  #awaitConnection(pid: number, hasEnded: () => boolean): void {
    const blocked: WatchedProcess = { problemCount: 0 };
    this.#processes.set(pid, blocked);
    const timer = setInterval(() => {
      if (blocked.socket || this.#isEnding) clearInterval(timer);
      else if (hasEnded()) {
        clearInterval(timer);
        this.#remove(pid, blocked);
      }
    }, HAS_ENDED_MS).unref();
  }

  #accept(socket: Socket): void {
    const { port, greeting } = this.address;
    const { remotePort = 0 } = socket;
    const pid = [...this.#expected].find((each) => isConnected(each, remotePort, port));
    const known = pid === undefined ? undefined : this.#processes.get(pid);
    if (pid === undefined || this.#isEnding || known?.socket) {
      socket.destroy();
      return;
    }
    const watched = known ?? { problemCount: 0 };
    watched.socket = socket;
    this.#processes.set(pid, watched);
    socket.setEncoding('utf8');
    socket.on('error', () => undefined); // the process has been killed; `close` follows
    socket.on(
      'data',
      attachMessages((message) => {
        this.#receive(pid, watched, message);
      }),
    );
    socket.once('close', () => {
      this.#remove(pid, watched);
    });
    socket.write(greeting);
  }

  #receive(pid: number, watched: WatchedProcess, message: AttachMessage): void {
    switch (message.type) {
      case 'ready':
        watched.workerCount = message;
        break;
      case 'workerProblem':
        if (++watched.problemCount > MAX_PROBLEMS) break;
        this.#events.onWorkerProblem(pid, message.threadId, message.problem);
        break;
      case 'exit':
        watched.exitCode = message.code;
        break;
    }
  }

  #remove(pid: number, { exitCode }: WatchedProcess): void {
    this.#processes.delete(pid);
    if (!this.#isEnding) this.#events.onProcessEnd(pid, exitCode);
    if (this.isEmpty) this.#onEmpty();
  }
}
