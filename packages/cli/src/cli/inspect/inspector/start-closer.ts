import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import process from 'node:process';

import type { InspectorTarget } from '../process/checks.js';
import { listeningOf } from '../process/sockets.js';
import type { CloserTask } from './closer.js';
import { CLOSER } from './closer-path.js';

/**
 * Starts the program that closes the inspector where this one is killed before the process has answered, if the inspector
 * is closed now. Returns a function that ends it: from then on, the process closes its inspector by itself.
 */
export function startCloser({ info, port, mayListenOn }: InspectorTarget): () => void {
  if (mayListenOn.length > 0) return () => undefined;
  const { pid, startedMs, userId, executable } = info;
  const before = listeningOf(pid).map(({ inode }) => inode);
  const task: CloserTask = { process: { pid, startedMs, userId, executable }, port, before };
  try {
    return start(JSON.stringify(task));
  } catch {
    return () => undefined; // the command works without it
  }
}

function start(task: string): () => void {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  // Detached: what ends this process group must not end it.
  const child = spawn(process.execPath, [CLOSER, task], { detached: true, env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.on('error', () => undefined);
  child.unref();
  const input: unknown = child.stdin; // undefined where no descriptor is left
  if (input instanceof Socket) input.on('error', () => undefined).unref();
  return () => {
    child.kill('SIGKILL');
  };
}
