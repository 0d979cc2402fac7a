import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { expect } from '@jest/globals';
import { nodeBinary, type NodeMajor } from '@loopwatch/node-binaries';

import { fixture } from './cli.js';

/**
 * A flag of Node.js: a port of its own for the inspector. Without it, all programs open theirs on the same one, and other
 * test files run at the same time.
 */
export const OWN_PORT = '--inspect-port=0';

/** Longer than any test needs: ends programs that hang for ever. */
const KILL_AFTER_MS = 60_000;

/** A program that runs on its own, without preparation. */
export class TargetProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #output = '';
  #listeners: (() => void)[] = [];

  private constructor(
    command: string,
    args: readonly string[],
    { killAfterMs = KILL_AFTER_MS, env = {} }: Pick<HangOptions, 'killAfterMs' | 'env'> = {},
  ) {
    const { NODE_OPTIONS: _options, ...inherited } = process.env;
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env: { ...inherited, ...env } });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), killAfterMs);
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
      for (const listener of this.#listeners) listener();
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Starts test/fixtures/hang.cjs. */
  static async hang(
    way: string,
    { major, seconds, flags = [OWN_PORT], ...rest }: HangOptions = {},
  ): Promise<TargetProcess> {
    const args = [...flags, fixture('hang.cjs'), way, ...(seconds === undefined ? [] : [String(seconds)])];
    const target = new TargetProcess(nodeBinary(major), args, rest);
    await target.waitFor(/ready\n/);
    // Until the timer has started the hang.
    await new Promise((resolve) => setTimeout(resolve, 400));
    return target;
  }

  /** As `hang`, started by a command such as `unshare`. */
  static async hangUnder(command: readonly [string, ...string[]], way: string): Promise<TargetProcess> {
    const [file, ...args] = command;
    const target = new TargetProcess(file, [...args, nodeBinary(), OWN_PORT, fixture('hang.cjs'), way]);
    await target.waitFor(/ready\n/);
    return target;
  }

  /** Starts another fixture, which prints `ready`. */
  static async program(name: string): Promise<TargetProcess> {
    const target = new TargetProcess(nodeBinary(), [OWN_PORT, fixture(name)]);
    await target.waitFor(/ready\n/);
    return target;
  }

  static command(command: string, ...args: readonly string[]): TargetProcess {
    return new TargetProcess(command, args);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Id of the Node.js process that a command has started as its child. */
  nodePid(): number {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim().split(' ');
    return Number(children[0]);
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Null where it runs, or a signal has ended it. */
  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get output(): string {
    return this.#output;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resolves with the match once the output has matched. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const match = pattern.exec(this.#output);
        if (match) resolve(match);
      };
      this.#listeners.push(check);
      void this.#ended.then(() => {
        reject(new Error(`Expected output that matches ${String(pattern)}, the program ended with: ${this.#output}`));
      });
      check();
    });
  }

  /** The state that the program reports of itself. */
  async state(): Promise<unknown> {
    this.#output = '';
    this.kill('SIGUSR2');
    const [line] = await this.waitFor(/\{.*\}\n/);
    return JSON.parse(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL');
    await this.#ended;
  }
}

export interface HangOptions {
  readonly major?: NodeMajor;
  readonly seconds?: number;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly killAfterMs?: number;
}

/**
 * Waits until the process is as it was: its watchdog thread ends half a second after the rest. Where the CLI was killed
 * during the attach, a timer closes the inspector after 10 s.
 */
export async function expectState(target: TargetProcess, before: unknown): Promise<void> {
  await eventually(target, (state) => {
    expect(state).toEqual(before);
  });
}

/** Waits until the state of the process has these properties, as for `toMatchObject`. */
export async function expectStateLike(target: TargetProcess, properties: object): Promise<void> {
  await eventually(target, (state) => {
    expect(state).toMatchObject(properties);
  });
}

/** Waits until the assertion about the state of the process holds: threads that only start or close something end soon. */
export async function eventually(target: TargetProcess, assert: (state: unknown) => void): Promise<void> {
  for (let tries = 0; tries < 150; tries++) {
    try {
      assert(await target.state());
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  assert(await target.state());
}
