import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { pinToCpu } from './cpu-pinning.ts';
import { subjectsDirectory } from '../paths.ts';

const STOP_TIMEOUT_MS = 3000;

/** The Node version and the application that a subject runs with. */
export interface Platform {
  readonly nodeMajor: NodeMajor;
  /** Folder of an application with the packed Loopwatch and an SDK installed. */
  readonly consumerDirectory: string;
}

export interface SubjectOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The only CPU that it may run on. */
  readonly cpu?: number;
}

/** A running program of `subjects/`. It ends with this process or at its time limit, whichever comes first. */
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
      // stdin stays open: when it ends, the subject knows that this process is gone.
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

  /** Returns the next line of its standard output, which must be JSON. */
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

  /** Asks it to end, and kills it when it does not: an inspector that a peer has opened can delay the exit for ever. */
  async stop(): Promise<void> {
    this.process.kill('SIGTERM');
    const killTimer = setTimeout(() => {
      this.kill();
    }, STOP_TIMEOUT_MS);
    await this.#ended;
    clearTimeout(killTimer);
  }

  /** Waits until it has ended. */
  async end(): Promise<void> {
    await this.#ended;
  }
}
