/** Where the threads of a process are at one moment, as `loopwatch dump` shows and writes it. */
export interface ProcessDump {
  readonly pid: number;
  readonly command: string;
  /** `v24.1.0`; undefined when the process did not answer. */
  readonly nodeVersion?: string;
  readonly ageMs: number;
  readonly cpuMs: number;
  /** Wall time of the dump, in ms since the epoch. */
  readonly takenMs: number;
  readonly threads: readonly ThreadDump[];
  /** What the user must know about this dump and about what it left behind. */
  readonly notes: readonly string[];
}

/**
 * - `running`: it runs code; the stack shows which, unless the thread was between two callbacks each time it was asked.
 * - `waiting`: it sleeps inside a call, such as `Atomics.wait`.
 * - `idle`: its event loop waits for events.
 * - `no_answer`: it is inside a call that V8 cannot interrupt, or gets too little of a CPU.
 */
export type ThreadState = 'running' | 'waiting' | 'idle' | 'no_answer';

export interface ThreadDump {
  /** Node.js thread id: 0 for the main thread. */
  readonly threadId: number;
  readonly threadName: string;
  readonly state: ThreadState;
  /** Top first. */
  readonly stack: readonly DumpFrame[];
  readonly request?: DumpRequest;
  /** The running callback began at most so long ago; known for callbacks of timers. */
  readonly atMostMs?: number;
  /**
   * A guess, where the stack shows Node.js alone: the timer whose callback of this name has just returned, or is about
   * to start. A native call at the end of a callback, such as `spawnSync`, answers only after the callback has returned.
   */
  readonly timerCallback?: string;
  /** The thread was in this state for at least so long: all of the time in which it was looked at. */
  readonly atLeastMs: number;
  /** A debugger was connected before, and the thread slept each time: the debugger may have paused it there. */
  readonly mayBePaused?: true;
  /** Share of that time on a CPU, 0 to 1; undefined where it is not known. */
  readonly cpuShare?: number;
  /** It was on a CPU or ready to run when it was looked at, at least once; undefined where that is not known. */
  readonly isReady?: boolean;
}

/** With a smaller share of a CPU, a thread that is ready to run may have had no time to answer. */
const ANSWERING_SHARE = 0.5;

/** Whether a thread may be without an answer because it gets hardly a CPU. */
export function isShortOfCpu({ state, cpuShare = 1, isReady }: CpuUse): boolean {
  return state === 'no_answer' && isReady === true && cpuShare < ANSWERING_SHARE;
}

interface CpuUse {
  readonly state: ThreadState;
  readonly cpuShare?: number | undefined;
  readonly isReady?: boolean | undefined;
}

/** Whether the thread was in one iteration of its loop each time it was looked at. */
export function isBlocked({ state, atLeastMs }: ThreadDump): boolean {
  return (state === 'running' || state === 'waiting') && atLeastMs > 0;
}

export interface DumpFrame {
  readonly functionName: string;
  readonly filePath: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly isAsync: boolean;
  /** Where the function begins in the file that runs; only until its source is looked for. */
  readonly functionLineNumber?: number;
  readonly functionColumnNumber?: number;
}

/** The request in which the code runs: by the process's own OpenTelemetry SDK, else by Node.js. */
export interface DumpRequest {
  readonly name: string;
  readonly traceId?: string;
  readonly spanId?: string;
  /** How long ago it began. */
  readonly ageMs?: number;
}

/** Code of Node.js itself, or a function of V8 without a file. */
export function isOfNode({ filePath }: DumpFrame): boolean {
  return filePath === '' || filePath.startsWith('node:');
}

/** Code of the application: not of Node.js, not of a dependency. */
export function isOfApplication({ filePath }: DumpFrame): boolean {
  return filePath !== '' && !/^(node:|wasm:|<anonymous>)|[\\/]node_modules[\\/]/.test(filePath);
}
