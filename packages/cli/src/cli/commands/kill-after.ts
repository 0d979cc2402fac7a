import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ChannelRecord, ENV_RUN_DIRECTORY } from '../../channel/contract.js';
import type { ProcessDump } from '../../model/processes/dump.js';
import { formatMs } from '../../model/text/format.js';
import { environmentOf } from '../inspect/process/processes.js';
import { isWaitingForEvents } from '../inspect/process/wake-ups.js';
import { ProgramProcesses } from '../inspect/program/program-processes.js';
import { isAlive, isStopped } from '../program/is-alive.js';
import { killProcesses } from '../program/kill-processes.js';
import { Exits, type ExitState } from '../store/exits.js';
import type { OngoingBlocks } from '../store/ongoing-blocks.js';
import { dumpLines } from '../terminal/dump-view.js';
import { printableLines } from '../terminal/line.js';
import { styleFor } from '../terminal/stream-style.js';

/** How long a process may take to answer before it is ended without its dump, ms. */
const DUMP_TIMEOUT_MS = 5000;
/** How long the dump may take with all of its questions, ms: whoever sets a limit waits for the end. */
const DUMP_DEADLINE_MS = 10_000;

export interface KillAfterOptions {
  /** Length of a block, ms, at which the program is ended. */
  readonly limitMs: number;
  /** The directory of the channel. */
  readonly directory: string;
  readonly color: boolean;
  readonly prefixWidth: number;
  readonly say: (line: string) => void;
  /** The same for a test, ms. Default: 10,000. */
  readonly dumpDeadlineMs?: number;
}

/** Ends a program whose main thread has been blocked, or has been ending, for too long, after a dump of its threads. */
export class KillAfter {
  readonly #options: KillAfterOptions;
  readonly #exits: Exits;
  #kill: ((signal: NodeJS.Signals) => void) | undefined;
  #hasEnded = false;
  #ending: Promise<void> | undefined;

  constructor(options: KillAfterOptions) {
    this.#options = options;
    this.#exits = new Exits((instance) => exitState(Number(instance), options.directory));
  }

  /** The program runs, and can be ended by `kill`. */
  begins(kill: (signal: NodeJS.Signals) => void): void {
    this.#kill = kill;
  }

  /** Takes what a record says of the end of a process. */
  note(record: ChannelRecord): void {
    this.#exits.note(record, performance.now());
  }

  /** Looks whether a block, or an end, lasts for too long. */
  check(ongoing: Pick<OngoingBlocks, 'blockedMains'>): void {
    if (this.#ending || this.#hasEnded || !this.#kill) return;
    const blocked = ongoing.blockedMains().map(({ instance, blockedMs: lastsMs }) => {
      return { instance, lastsMs, text: `has been blocked for ${formatMs(lastsMs)}` };
    });
    const ending = this.#exits.lasting(performance.now()).map(({ instance, lastsMs }) => {
      return { instance, lastsMs, text: `has not ended for ${formatMs(lastsMs)} since its event "exit"` };
    });
    const [longest] = [...blocked, ...ending]
      .filter(({ lastsMs }) => lastsMs >= this.#options.limitMs)
      .sort((a, b) => b.lastsMs - a.lastsMs);
    if (longest) this.#ending = this.#end(Number(longest.instance), longest.text, this.#kill);
  }

  /** The program has ended. Resolves when all of its processes have, if it was this that has ended it; whether it was. */
  async ended(): Promise<boolean> {
    this.#hasEnded = true;
    await this.#ending;
    return this.#ending !== undefined;
  }

  async #end(pid: number, text: string, kill: (signal: NodeJS.Signals) => void): Promise<void> {
    const { limitMs, directory, say } = this.#options;
    const processes = new ProgramProcesses(directory);
    const pids = (): number[] => processes.pids();
    say(`Ends the program: the main thread of process ${pid} ${text}, --kill-after allows ${formatMs(limitMs)}.`);
    // The program can write to the records: they do not lead to a process of another one.
    const isKnown = process.platform !== 'linux' || pids().includes(pid);
    const lines = isKnown ? await this.#dump(pid) : [`No dump: no process of the program has the id ${pid} here.`];
    for (const line of lines) say(line);
    const signal = await killProcesses({ kill, pids, hasEnded: () => this.#hasEnded });
    say(`Ended the program by ${signal}.`);
  }

  /** Where its threads are, or why that is not known. */
  async #dump(pid: number): Promise<string[]> {
    const { color, prefixWidth, say, dumpDeadlineMs = DUMP_DEADLINE_MS } = this.#options;
    try {
      // It loads a WebSocket client, with TLS and cryptography, which a run without an end by us does not need.
      const { dumpProcess } = await import('../inspect/dump/dump.js');
      const deadline = sleep(dumpDeadlineMs, undefined, { ref: false });
      const dump = await Promise.race([dumpProcess(pid, { timeoutMs: DUMP_TIMEOUT_MS, onWait: say }), deadline]);
      // The end of the process also ends what still waits for its answers.
      if (!dump) return [`No dump: the process has not answered all questions within ${formatMs(dumpDeadlineMs)}.`];
      return dumpLines(withoutInspectorNotes(dump), styleFor(process.stderr, color, prefixWidth)());
    } catch (error) {
      return [printableLines(`No dump: ${error instanceof Error ? error.message : String(error)}`)];
    }
  }
}

/** Of a process of this program, by the variable that it has inherited. Only Linux shows whether it ends. */
function exitState(pid: number, directory: string): ExitState {
  if (!isAlive(pid) || !environmentOf(pid).includes(`${ENV_RUN_DIRECTORY}=${directory}`)) return 'ended';
  if (isStopped(pid)) return 'stopped';
  const isWaiting = isWaitingForEvents(pid);
  if (isWaiting === undefined) return undefined;
  return isWaiting ? 'goes_on' : 'ends';
}

/** The process ends: what the notes say of its inspector does not hold any more. */
function withoutInspectorNotes(dump: ProcessDump): ProcessDump {
  return { ...dump, notes: dump.notes.filter((note) => !/^(The inspector|SIGUSR1) stays/.test(note)) };
}
