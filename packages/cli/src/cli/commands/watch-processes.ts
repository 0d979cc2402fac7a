import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ChannelConfig } from '../../channel/contract.js';
import { type AttachedProcess, attachToInspector, attachToProcess, type RecordsOf } from '../inspect/attach/attach.js';
import { AttachConnections, type ConnectionEvents } from '../inspect/attach/attach-connections.js';
import { attachToGroup } from '../inspect/attach/attach-group.js';
import { commandOf, type ProcessInfo, readProcess } from '../inspect/process/processes.js';
import { printableLines } from '../terminal/line.js';
import { say } from '../terminal/output.js';
import { endText, INSPECTOR_HANGS_TEXT, stillBlocked, welcome, workerProblemText } from './attach-sentences.js';
import { stopSignal } from './stop-signal.js';
import type { SessionOptions, WatchSession } from './watched.js';

export interface AttachCommandOptions extends SessionOptions {
  readonly for?: number;
  readonly timeout: number;
  readonly inspect?: string;
  readonly all?: true;
}

interface Records {
  readonly session: WatchSession;
  readonly config: ChannelConfig;
  /** Takes the file that a process appends its records to from now on. */
  readonly onRecords: (descriptor: number, ofProcess: RecordsOf) => void;
  /** The process has ended, or has left. */
  readonly onRecordsEnd: (descriptor: number) => void;
}

/** Attaches, and returns when `--for` has passed, a signal has stopped it, or the processes have ended. */
export async function watchProcesses(
  pid: number | undefined,
  { session, config, onRecords, onRecordsEnd }: Records,
  options: AttachCommandOptions,
): Promise<void> {
  // A signal that arrives during the attach takes effect after it: the inspector must not stay open.
  const stop = stopSignal(process.stderr);
  const processes = new AttachedProcesses(options, onRecordsEnd);
  const connections = await AttachConnections.listen(processes);
  const attachOptions = {
    channel: { connections, config, onRecords },
    timeoutMs: options.timeout,
    onWait: processes.inform,
  };
  try {
    if (pid !== undefined && options.all) {
      await attachToGroup(pid, {
        ...attachOptions,
        stop,
        onAllAttached: () => stopOrEnd(stop, options.for),
        onAttached: (attached) => processes.begin(attached, connections),
        onRefused: sayRefused,
      });
    } else {
      const attached =
        pid === undefined
          ? await attachToInspector(options.inspect ?? '', attachOptions)
          : await attachToProcess(pid, attachOptions);
      await processes.begin(attached, connections);
      await Promise.race([stopOrEnd(stop, options.for), connections.ended()]);
    }
  } finally {
    processes.informOfBlocked(await connections.end((id) => processes.isBlocked(id, session)));
  }
}

/** Resolves at a signal, or when `--for` has passed since this call: the time to attach does not count. */
function stopOrEnd(stop: Promise<unknown>, forMs: number | undefined): Promise<unknown> {
  // Without `ref: false`, a command that has been stopped would wait for the rest of the time.
  return Promise.race(forMs === undefined ? [stop] : [stop, sleep(forMs, undefined, { ref: false })]);
}

function sayRefused(refused: ProcessInfo, reason: string): void {
  say(printableLines(`Process ${refused.pid} (${commandOf(refused)}) is not watched: ${reason}`));
}

/** The attached processes. It prints when each of them begins, ends, or stays blocked. */
class AttachedProcesses implements ConnectionEvents {
  readonly #byId = new Map<number, AttachedProcess>();
  readonly #options: AttachCommandOptions;
  readonly #onRecordsEnd: Records['onRecordsEnd'];

  constructor(options: AttachCommandOptions, onRecordsEnd: Records['onRecordsEnd']) {
    this.#options = options;
    this.#onRecordsEnd = onRecordsEnd;
  }

  readonly inform = (text: string): void => {
    if (!this.#options.quiet) say(printableLines(text));
  };

  onWorkerProblem(id: number, threadId: number, problem: string): void {
    this.inform(workerProblemText(id, this.#byId.get(id)?.innerPid, threadId, problem));
  }

  onProcessEnd(id: number, exitCode: number | undefined): void {
    const attached = this.#byId.get(id);
    // With many restarts, the descriptors of this process would run out.
    if (attached) this.#onRecordsEnd(attached.records);
    this.inform(endText(id, attached?.innerPid, exitCode));
  }

  async begin(attached: AttachedProcess, connections: AttachConnections): Promise<void> {
    this.#byId.set(attached.pid, attached);
    try {
      const begun = await connections.begun(attached.pid, attached.isBlocked, () => hasEnded(attached));
      this.inform(welcome(attached, begun, this.#options));
    } catch (error) {
      if (attached.inspector === 'hangs' && !hasEnded(attached)) this.inform(INSPECTOR_HANGS_TEXT);
      throw error;
    }
  }

  isBlocked(id: number, session: WatchSession): boolean {
    const attached = this.#byId.get(id);
    return attached !== undefined && session.isMainBlocked(attached.pid);
  }

  informOfBlocked(ids: readonly number[]): void {
    for (const id of ids) this.inform(stillBlocked(id, this.#byId.get(id)?.innerPid));
  }
}

function hasEnded({ pid }: AttachedProcess): boolean {
  return (readProcess(pid)?.state ?? 'Z') === 'Z';
}
