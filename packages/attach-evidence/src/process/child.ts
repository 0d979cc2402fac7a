import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Ends a process that hangs. */
  readonly killAfterMs?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const KILL_AFTER_MS = 120_000;

/** A child process whose output can be waited for. */
export class Child {
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  #output = '';
  #listeners: (() => void)[] = [];

  constructor(command: string, args: readonly string[], { env, killAfterMs = KILL_AFTER_MS }: ChildOptions = {}) {
    const { NODE_OPTIONS: _options, FORCE_COLOR: _color, ...inherited } = process.env;
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...inherited, ...env } });
    const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        for (const listener of this.#listeners) listener();
      });
    }
    this.exit = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        resolve({ code, signal });
      });
    });
    this.#child = child;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Standard output and standard error. */
  get output(): string {
    return this.#output;
  }

  clearOutput(): void {
    this.#output = '';
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves with the match once the output has matched; rejects when the process ends before. */
  async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const match = pattern.exec(this.#output);
        if (!match) return;
        this.#listeners = this.#listeners.filter((listener) => listener !== check);
        resolve(match);
      };
      this.#listeners.push(check);
      void this.exit.then(() => {
        reject(new Error(`Expected output that matches ${String(pattern)}, the process ended with: ${this.#output}`));
      });
      check();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL');
    await this.exit;
  }
}
