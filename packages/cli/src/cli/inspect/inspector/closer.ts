import { argv, exit, stdin } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ListeningSocket } from '../../platform/platform.js';
import { assertSameProcess, type ProcessIdentity } from '../process/processes.js';
import { listeningOf } from '../process/sockets.js';
import { connectInspector } from './inspector-client.js';
import { closeLater, enter } from './leave.js';
import { describeInspector } from './open-inspector.js';

/*
 * A program of its own, which the CLI starts right before it sends SIGUSR1, and kills when the process has answered. Where
 * the CLI is killed in between, nothing else would close the inspector that opens then.
 */

/** What the CLI hands to this program, as JSON in its argument. */
export interface CloserTask {
  readonly process: ProcessIdentity;
  /** Where the inspector opens; 0 where that is not known. */
  readonly port: number;
  /** Inodes of the sockets that the process listened on before. */
  readonly before: readonly string[];
}

/** How long the inspector may take to open after the CLI was killed. */
const OPEN_TIMEOUT_MS = 3000;
const POLL_MS = 20;
const ANSWER_TIMEOUT_MS = 5000;

async function close({ process, port, before }: CloserTask): Promise<void> {
  const isNew = (socket: ListeningSocket): boolean =>
    port === 0 ? !before.includes(socket.inode) : socket.port === port;
  const deadline = performance.now() + OPEN_TIMEOUT_MS;
  while (performance.now() < deadline) {
    assertSameProcess(process);
    for (const address of listeningOf(process.pid).filter(isNew)) {
      const inspector = await describeInspector(`${address.host}:${address.port}`);
      if (!inspector) continue;
      const client = await connectInspector(inspector.url);
      const opened = { ...inspector, address, wasOpen: false };
      // Both at once: they are in the queue of a process that is blocked.
      const entered = enter(client, opened, ANSWER_TIMEOUT_MS);
      await closeLater(client, opened);
      await client.close();
      await entered;
      return;
    }
    await sleep(POLL_MS);
  }
}

const task = JSON.parse(argv[2] ?? '') as CloserTask;
// The CLI kills this program where all is well. The end of its input is the end of the CLI.
stdin.resume().once('close', () => {
  close(task).then(
    () => exit(),
    () => exit(),
  );
});
