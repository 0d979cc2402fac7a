import { Worker } from 'node:worker_threads';
import vm from 'node:vm';
import { stackCapture } from '../../../src/probe/stack-capture.js';
import type { Frame } from '../../../src/contract/model.js';

const ENTRY = Symbol.for('loopwatch.test.interrupter');
const Flag = { idle: 0, ask: 1, end: 2 } as const;

/** Interrupts as the watchdog does: with an inspector session of another thread. */
const PROGRAM = `const { workerData, parentPort } = require('node:worker_threads');
const { Session } = require('node:inspector');
const flag = new Int32Array(workerData);
const session = new Session();
session.connectToMainThread();
parentPort.postMessage('ready');
for (;;) {
  Atomics.wait(flag, 0, ${Flag.idle});
  if (Atomics.load(flag, 0) === ${Flag.end}) break;
  Atomics.store(flag, 0, ${Flag.idle});
  session.post('Runtime.evaluate', { expression: 'globalThis[Symbol.for(${JSON.stringify(ENTRY.description)})]()' });
}
session.disconnect();`;

/** Long enough that the request arrives before the parsing ends: some 10 ms. */
const TEXT = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ i })));
const MAX_TRIES = 50;
const TIMEOUT_MS = 20;

/** Shows where V8 answers an interrupt that came during an uninterruptible call. */
export class Interrupter {
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: this.#flag.buffer });
  #frames: readonly Frame[] | undefined;
  readonly #run = vm.runInThisContext(
    `(go, text, file, source, runIn) => runIn('(go, text) => {' + source + '\\n}', { filename: file })(go, text)`,
  ) as (go: () => void, text: string, file: string, source: string, runIn: typeof vm.runInThisContext) => void;

  static async start(): Promise<Interrupter> {
    const interrupter = new Interrupter();
    await new Promise((resolve, reject) => {
      interrupter.#worker.once('message', resolve);
      interrupter.#worker.once('error', reject);
    });
    const capture = stackCapture();
    const entry = (): void => {
      interrupter.#frames = capture(entry).slice(1);
    };
    // The inspector evaluates in the main context of the process, which is not that of the test.
    const mainGlobal = vm.runInThisContext('globalThis') as object;
    Reflect.defineProperty(mainGlobal, ENTRY, { value: entry, configurable: true });
    return interrupter;
  }

  /**
   * Runs `source`, whose `go(); JSON.parse(text);` is the uninterruptible call, until the answer comes from a function
   * of that source; returns its frame.
   */
  topFrameAfter(name: string, source: string): Frame {
    const file = `/interrupted/${name}.js`;
    for (let i = 0; i < MAX_TRIES; i++) {
      this.#frames = undefined;
      this.#run(this.#go, TEXT, file, source, vm.runInThisContext);
      const until = performance.now() + TIMEOUT_MS;
      while (this.#captured() === undefined && performance.now() < until);
      const [top] = this.#captured() ?? [];
      if (top?.fileName === file) return top;
    }
    throw new Error(`Expected an answer within ${file} in ${MAX_TRIES} tries, got none.`);
  }

  /** The frames that the interrupt has captured meanwhile. */
  #captured(): readonly Frame[] | undefined {
    return this.#frames;
  }

  async end(): Promise<void> {
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    Atomics.store(this.#flag, 0, Flag.end);
    Atomics.notify(this.#flag, 0);
    await exited;
    Reflect.deleteProperty(vm.runInThisContext('globalThis') as object, ENTRY);
  }

  readonly #go = (): void => {
    Atomics.store(this.#flag, 0, Flag.ask);
    Atomics.notify(this.#flag, 0);
  };
}
