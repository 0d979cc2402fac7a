import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';

import {
  ATTACH_GOODBYE,
  ATTACH_IS_WATCHED,
  ATTACH_SOCKET,
  type AttachMessage,
  type AttachOptions,
} from '../channel/contract.js';
import { attachThread } from './attached-thread.js';
import { attachWorkers } from './attached-workers.js';
import { guarded } from './guard.js';
import { ownListener } from './own-listener.js';
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

const TIMERS_ARE_REPLACED = 'one that has replaced the timers of Node.js, as a test with fake timers does';

/** Watches this process from its main thread. Returns why it does not, else an empty text. */
export function start(options: AttachOptions, foreignKeys: readonly symbol[], source: string): string {
  const { directory, isBlocked } = options;
  if (areTimersReplaced()) return TIMERS_ARE_REPLACED;
  const thread = attachThread(options, foreignKeys);
  if (!thread) return ATTACH_IS_WATCHED;
  let workers: ReturnType<typeof attachWorkers> | undefined;
  // Inside the block: its watchdog thread samples it from now on.
  if (isBlocked) thread.begin();
  const begin = guarded(() => {
    if (!isBlocked) thread.begin();
    workers = attachWorkers(options, source, {
      onReady: () => {
        say({ type: 'ready', workers: 0, pending: 0, ...workers?.count });
      },
      onProblem: (threadId, problem) => {
        say({ type: 'workerProblem', threadId, problem });
      },
    });
  });
  const starting = setTimeout(begin, START_DELAY_MS).unref();

  const onExit = ownListener((code: number): void => {
    say({ type: 'exit', code });
  });
  process.once('exit', onExit);
  let isStopped = false;
  const stop = (isAlone: boolean): void => {
    if (isStopped) return;
    isStopped = true;
    clearTimeout(starting);
    process.off('exit', onExit);
    if (isAlone) remove(directory);
    const finish = (): void => {
      thread.end();
      socket.destroy();
    };
    if (workers) workers.end(finish);
    else finish();
  };
  let received = '';
  const socket = connect(path.join(directory, ATTACH_SOCKET));
  socket.unref();
  socket.setEncoding('utf8');
  socket.on(
    'data',
    guarded((text: string) => (received += text)),
  );
  socket.on('error', () => undefined); // `close` follows
  for (const event of ['end', 'close'] as const) {
    socket.once(
      event,
      guarded(() => {
        stop(received !== ATTACH_GOODBYE);
      }),
    );
  }
  say({ type: 'hello', pid: process.pid });
  return '';

  function say(message: AttachMessage): void {
    if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
  }
}

/** Fake timers of a test never run: nothing would be watched. */
function areTimersReplaced(): boolean {
  const timer = setTimeout(() => undefined, 1e6);
  clearTimeout(timer);
  return !('_idleStart' in timer);
}

/** Never throws into the program, which may have no descriptor left. */
function remove(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // The CLI removes it, if that still runs.
  }
}

/** Prepares a worker thread, which the main thread then lets `begin`. Returns why it does not, else an empty text. */
export function startInWorker(options: AttachOptions, foreignKeys: readonly symbol[]): string {
  if (areTimersReplaced()) return TIMERS_ARE_REPLACED;
  const takeRegistry = expectRegistry(options.directory);
  const thread = attachThread(options, foreignKeys);
  if (!thread) {
    takeRegistry();
    return ATTACH_IS_WATCHED;
  }
  const { begin } = thread;
  thread.begin = () => {
    takeRegistry();
    begin();
  };
  return '';
}
