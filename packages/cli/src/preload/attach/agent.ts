import { connect, type Socket } from 'node:net';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';

import { wrapFunction } from '@loopwatch/instrumentation-event-loop/internal/node';

import {
  ATTACH_IS_WATCHED,
  type AttachMessage,
  type AttachOptions,
  type AttachWorkerOptions,
} from '../../channel/contract.js';
import { Reflect } from '../built-ins.js';
import { attempt, guarded, ownListener } from '../guard.js';
import { areTimersIntact, unrefHandle, unrefTimer } from '../unref.js';
import { askByStops } from './ask-by-stops.js';
import { type AttachedThread, attachThread, isWatchedByAnother } from './attached-thread.js';
import { AttachedWorkers } from './attached-workers.js';
import { closeRecords, createRecordsFile, openAgain } from './records-file.js';
import { expectRegistry } from './registry-handover.js';

/*
 * `loopwatch attach` evaluates this file as text in the main thread of a process that already runs, and the main thread
 * evaluates it in the worker threads. The process removes all that was added as soon as its connection to the CLI ends,
 * in whatever way.
 */

/**
 * The inspector is closed first, 0.3 s after the session: on a busy machine that blocks the thread, which is no block of
 * the program.
 */
const START_DELAY_MS = 500;

/** The watchdog thread opens the file of records by the descriptor of the main thread. It ends within this time, ms. */
const CLOSE_DELAY_MS = 3000;

/** How long the CLI may take to greet a connection, ms. */
const GREETING_TIMEOUT_MS = 10_000;

const TIMERS_ARE_REPLACED =
  'one that has replaced the timers of Node.js or their `unref`, as a test with fake timers does';

/** Watches this process from its main thread. Returns the descriptor of its records, or why it does not, as a text. */
export function start(options: AttachOptions, foreignKeys: readonly symbol[], source: string): number | string {
  if (!areTimersIntact) return TIMERS_ARE_REPLACED;
  if (isWatchedByAnother(foreignKeys)) return ATTACH_IS_WATCHED;
  return new AttachedProcess(options, foreignKeys, source).records.descriptor;
}

/** This process while the CLI watches it: until their connection ends, in whatever way. */
class AttachedProcess {
  readonly records = createRecordsFile();
  readonly #options: AttachOptions;
  readonly #source: string;
  readonly #thread: AttachedThread;
  readonly #starting: NodeJS.Timeout;
  readonly #stopSayingExit: () => void;
  readonly #socket: Socket;
  #greeted: NodeJS.Timeout | undefined;
  #workers: AttachedWorkers | undefined;
  #isStopped = false;

  constructor(options: AttachOptions, foreignKeys: readonly symbol[], source: string) {
    this.#options = options;
    this.#source = source;
    this.#thread = attachThread(options, foreignKeys, { records: this.records, descriptor: this.records.descriptor });
    // Inside the block: its watchdog thread samples it from now on.
    if (options.isBlocked) {
      this.#thread.begin();
      if (options.answersAtStops) attempt(askByStops);
    }
    this.#starting = unrefTimer(setTimeout(guarded(this.#watch), START_DELAY_MS));
    this.#stopSayingExit = sayExit((code) => {
      this.#say({ type: 'exit', code });
    });
    this.#socket = this.#connect();
  }

  readonly #watch = (): void => {
    if (!this.#options.isBlocked) this.#thread.begin();
    this.#workers = new AttachedWorkers({ ...this.#options, records: this.records }, this.#source, {
      onReady: () => {
        this.#say({ type: 'ready', workers: 0, pending: 0, ...this.#workers?.count });
      },
      onProblem: (threadId, problem) => {
        this.#say({ type: 'workerProblem', threadId, problem });
      },
    });
  };

  #connect(): Socket {
    const socket = connect(this.#options.port, '127.0.0.1');
    unrefHandle(socket);
    socket.setEncoding('utf8');
    const stop = guarded(this.#stop);
    // Not before the loop iterates: it may be blocked for longer than the CLI waits.
    const onConnect = guarded(() => {
      this.#greeted = unrefTimer(setTimeout(stop, GREETING_TIMEOUT_MS));
    });
    const onGreeting = guarded((text: string) => {
      clearTimeout(this.#greeted);
      if (text !== this.#options.greeting) this.#stop();
    });
    socket.once('connect', onConnect);
    socket.once('data', onGreeting);
    socket.on('error', () => undefined); // `close` follows
    socket.once('end', stop);
    socket.once('close', stop);
    return socket;
  }

  #say(message: AttachMessage): void {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  readonly #stop = (): void => {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#starting);
    clearTimeout(this.#greeted);
    if (this.#workers) this.#workers.end(this.#finish);
    else this.#finish(true);
  };

  readonly #finish = (haveWorkersEnded: boolean): void => {
    this.#thread.end();
    this.#stopSayingExit();
    this.#socket.destroy();
    const { descriptor } = this.records;
    // Otherwise the watchdog thread still watches a worker thread, and would write to another file of the program.
    if (haveWorkersEnded) unrefTimer(setTimeout(guarded(closeRecords), CLOSE_DELAY_MS, descriptor, this.records));
  };
}

/**
 * Calls back with the code with which this process exits; again where it is another one in the end. Returns a function that
 * stops it, which is to be called when the instrumentation has removed its own wrapper.
 */
function sayExit(onExit: (code: number) => void): () => void {
  const onCode = guarded((code: unknown) => {
    onExit(Number(code));
  });
  // An earlier listener may have set another code than the one that the event has.
  const listener = ownListener((code: number): void => {
    onCode(process.exitCode ?? code);
  });
  process.once('exit', listener);
  // By `process.exit()` in such a listener, this one is never called.
  const unwrap = wrapFunction<(this: unknown, code: unknown) => unknown>(
    process,
    'reallyExit',
    (original) =>
      function (this: unknown, code) {
        onCode(code ?? 0);
        return Reflect.apply(original, this, [code]);
      },
  );
  return () => {
    process.off('exit', listener);
    unwrap();
  };
}

/** Prepares a worker thread, which the main thread then lets `begin`. Returns true, or why it does not, as a text. */
export function startInWorker(options: AttachWorkerOptions, foreignKeys: readonly symbol[]): true | string {
  if (!areTimersIntact) return TIMERS_ARE_REPLACED;
  if (isWatchedByAnother(foreignKeys)) return ATTACH_IS_WATCHED;
  const { records, port } = options;
  const descriptor = openAgain(records);
  const takeRegistry = expectRegistry(port);
  const thread = attachThread(options, foreignKeys, { records, descriptor });
  const { begin, end } = thread;
  thread.begin = () => {
    takeRegistry();
    begin();
  };
  thread.end = () => {
    try {
      end();
    } finally {
      closeRecords(descriptor, records);
    }
  };
  return true;
}
