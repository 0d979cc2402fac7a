import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { pinToCpu } from './cpu-pinning.ts';
import { subjectsDirectory } from '../paths.ts';

const STOP_TIMEOUT_MS = 3000;

/** What a subject runs on. */
export interface Platform {
  readonly nodeMajor: NodeMajor;
  /** Folder of the application that has the packed Loopwatch and an SDK installed. */
  readonly consumerDirectory: string;
}

export interface SubjectOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Runs on this CPU alone. */
  readonly cpu?: number;
}

/** A running program of `subjects/`, which ends with us or at its time limit, whichever is first. */
export class Subject {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string, undefined>;
  readonly #ended: Promise<void>;
  #stderr = '';
  #isKilled = false;

  constructor(platform: Platform, { program, args, flags = [], env = {}, timeoutMs, cpu }: SubjectOptions) {
    const node = [nodeBinary(platform.nodeMajor), ...flags, path.join(subjectsDirectory, program), ...args];
    const [command = '', ...commandArguments] = cpu === undefined ? node : pinToCpu(cpu, node);
    this.process = spawn(command, commandArguments, {
      cwd: subjectsDirectory,
      // stdin stays open: its end tells the subject that we are gone.
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_ENV: 'production',
        BENCH_CONSUMER: platform.consumerDirectory,
        ...env,
      },
    });
    this.process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    this.#lines = createInterface({ input: this.process.stdout! })[Symbol.asyncIterator]();
    const killTimer = setTimeout(() => {
      this.kill();
    }, timeoutMs);
    this.#ended = new Promise((resolve) => {
      this.process.once('close', () => {
        clearTimeout(killTimer);
        resolve();
      });
    });
  }

  /** The next line of its standard output, which must be JSON. */
  async nextMessage<Message>(): Promise<Message> {
    const line = await this.#lines.next();
    if (line.done !== true) return JSON.parse(line.value) as Message;
    await this.#ended;
    const why = this.#isKilled ? 'was killed at its time limit' : `ended with ${String(this.process.exitCode)}`;
    throw new Error(`Expected a line of ${this.process.spawnargs.slice(1).join(' ')}, but it ${why}.\n${this.#stderr}`);
  }

  kill(): void {
    this.#isKilled = true;
    this.process.kill('SIGKILL');
  }

  /** Asks it to end, and ends it when it does not: a peer's open inspector can hold up an exit for ever. */
  async stop(): Promise<void> {
    this.process.kill('SIGTERM');
    const killTimer = setTimeout(() => {
      this.kill();
    }, STOP_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(killTimer);
  }

  /** Until it ends by itself, or by its time limit. */
  async end(): Promise<void> {
    await this.#ended;
  }
}
