import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { nodeBinary, type NodeMajor } from '@loopwatch/node-binaries';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const FIXTURES = new URL('../fixtures/', import.meta.url);
/** Longer than any test needs: ends programs that hang. */
const KILL_AFTER_MS = 60_000;

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface CliOptions {
  readonly input?: Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Major of the Node.js version that runs the CLI and, by PATH, the program. */
  readonly major?: NodeMajor;
  readonly cwd?: string;
  /** Limit on the size of files, in blocks of 512 bytes. At 0, writing a file fails as on a full disk. */
  readonly fileSizeLimit?: number;
  /** A command that starts the CLI, with its arguments, such as `nsenter`. */
  readonly under?: readonly string[];
  /** When it is killed, if it has not ended. Default: 60 s. */
  readonly lifetimeMs?: number;
  /** The CLI leads a process group of its own, whose id is its process id. */
  readonly ownGroup?: boolean;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly result: Promise<CliResult>;
  /** Resolves once stdout or stderr has matched. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
}

export function fixture(name: string): string {
  return fileURLToPath(new URL(name, FIXTURES));
}

/** Runs the built CLI until it ends. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(args, options).result;
}

/** Throws with what the command has said, so that a failed test shows why. A list of code and text would hide the text. */
export function expectSuccess({ code, signal, stderr }: CliResult): void {
  if (code !== 0) throw new Error(`Expected exit code 0, got ${signal ?? String(code)}:\n${stderr}`);
}

export function startCli(
  args: readonly string[],
  { input, env, major, cwd, fileSizeLimit, under = [], ownGroup = false, lifetimeMs = KILL_AFTER_MS }: CliOptions = {},
): RunningCli {
  const node = nodeBinary(major);
  const { NODE_OPTIONS: _options, FORCE_COLOR: _color, ...inherited } = process.env;
  const path = `${node.replace(/[^/\\]+$/, '')}:${process.env.PATH ?? ''}`;
  const command = [...under, node, CLI, ...args];
  const limited = ['sh', '-c', `ulimit -f ${fileSizeLimit}; exec "$@"`, 'sh', ...command];
  const [file = '', ...fileArgs] = fileSizeLimit === undefined ? command : limited;
  const child = spawn(file, fileArgs, {
    env: { ...inherited, PATH: path, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: ownGroup,
    ...(cwd !== undefined && { cwd }),
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), lifetimeMs);
  const stdout: Buffer[] = [];
  let stderr = '';
  let listeners: (() => void)[] = [];
  const notify = (): void => {
    listeners.forEach((listener) => {
      listener();
    });
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    notify();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    notify();
  });
  // Writing fails if the program does not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const result = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: Buffer.concat(stdout), stderr });
    });
  });
  return {
    child,
    result,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const match = pattern.exec(`${Buffer.concat(stdout).toString()}\n${stderr}`);
          if (!match) return;
          listeners = listeners.filter((listener) => listener !== check);
          resolve(match);
        };
        listeners.push(check);
        void result.then(({ stderr: all }) => {
          reject(new Error(`Expected output that matches ${String(pattern)}, the CLI ended with: ${all}`));
        });
        check();
      }),
  };
}
