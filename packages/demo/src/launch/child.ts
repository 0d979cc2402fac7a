import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const EXIT_WITH_PARENT = new URL('./exit-with-parent.mjs', import.meta.url).href;
/** Longer than the 10 s that the service allows its own shutdown. */
const STOP_TIMEOUT_MS = 15_000;

export interface ChildOptions {
  /** Subject of the error messages. */
  readonly name: string;
  readonly entry: string | URL;
  readonly commandLine?: readonly string[];
  readonly nodeOptions?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A child process ended without being stopped, or could not be started. */
export class ChildFailedError extends Error {
  override readonly name = 'ChildFailedError';
}

/**
 * A child process of `npm start`. It has its own process group: on Ctrl-C the terminal signals a whole group at once,
 * but the children must end in order. It ends by itself when its parent ends (`exit-with-parent.ts`).
 */
export class Child {
  readonly name: string;
  readonly exited: Promise<void>;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterableIterator<string>;
  #output: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: ChildOptions) {
    this.name = options.name;
    const { entry } = options;
    this.#process = fork(entry instanceof URL ? fileURLToPath(entry) : entry, [...(options.commandLine ?? [])], {
      execArgv: ['--enable-source-maps', ...(options.nodeOptions ?? []), '--import', EXIT_WITH_PARENT],
      env: { ...process.env, ...options.environment },
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    // 'exit' can come before the last output; 'close' comes after it.
    this.exited = once(this.#process, 'close').then(() => this.#output);
    this.#lines = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]();
  }

  /** Returns the first address in the output of the child, and prints the other lines before it and after it. */
  async address(): Promise<string> {
    for (;;) {
      const next = await this.#lines.next();
      if (next.done === true) break;
      const line = next.value;
      const address = /https?:\/\/[^\s/]+/.exec(line)?.[0];
      if (address !== undefined) {
        this.forwardOutput();
        return address;
      }
      console.log(line);
    }
    await this.exited;
    throw this.#failure('before it was ready');
  }

  forwardOutput(): void {
    const pass = async (): Promise<void> => {
      for await (const line of this.#lines) console.log(line);
    };
    this.#output = pass();
  }

  /** Resolves when the child ends with exit code 0 or is stopped; rejects when it fails. */
  async completed(): Promise<void> {
    await this.exited;
    if (!this.#stopping && this.#process.exitCode !== 0) throw this.#failure('too early');
  }

  /** Rejects when the child ends without being stopped; never resolves. */
  async failedEarly(): Promise<never> {
    await this.exited;
    if (this.#stopping) return new Promise<never>(() => undefined);
    throw this.#failure('too early');
  }

  /**
   * Sends the signal, and SIGKILL when the child does not end in time. Resolves when the child has ended: to whether it
   * did not have to be killed.
   */
  async stop(signal: NodeJS.Signals): Promise<boolean> {
    this.#stopping = true;
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return true;
    this.#process.kill(signal);
    const timeout = new AbortController();
    const gone = await Promise.race([
      this.exited.then(() => true),
      delay(STOP_TIMEOUT_MS, false, { signal: timeout.signal }).catch(() => false),
    ]);
    timeout.abort();
    if (gone) return true;
    this.#process.kill('SIGKILL');
    await this.exited;
    return false;
  }

  /** Sends SIGKILL and does not wait. */
  kill(): void {
    this.#stopping = true;
    this.#process.kill('SIGKILL');
  }

  #failure(when: string): ChildFailedError {
    const { exitCode, signalCode } = this.#process;
    const how = signalCode ?? `exit code ${exitCode}`;
    return new ChildFailedError(`${this.name} ended ${when}, with ${how}. Its own output is above.`);
  }
}
