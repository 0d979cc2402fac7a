import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { descendantIdsOf } from '../inspect/process/descendants.js';
import { dataText, quoted } from './data-text.js';

/** After SIGTERM, ms: the program may end, and the recording is written. */
const GRACE_MS = 15_000;
/** After the program has been killed, ms: the recording is written. */
const WRITE_MS = 5_000;
const MAX_TAIL = 2000;

export interface RecordRequest {
  readonly command: readonly string[];
  readonly timeLimitMs: number;
  readonly thresholdMs: number;
  /** The file to write. */
  readonly file: string;
  readonly workingDirectory: string;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

export interface RecordedRun {
  readonly file: string;
  /** `exit code 0`, `SIGTERM, at the time limit` */
  readonly ended: string;
  /** The last lines that the program has printed. */
  readonly output: string;
}

/** Runs commands under `loopwatch run`, each in a process group of its own, which ends with this server. */
export class Recorder {
  readonly #cli: string;
  readonly #children = new Set<ChildProcess>();
  #directory: string | undefined;
  #count = 0;

  /** `cli`: the file of this command line. */
  constructor(cli: string) {
    this.#cli = cli;
  }

  /** A directory for recordings that the user does not want to keep; it is removed when the server ends. */
  get directory(): string {
    this.#directory ??= realpathSync.native(mkdtempSync(path.join(tmpdir(), 'loopwatch-mcp-')));
    return this.#directory;
  }

  /** A file of that directory. */
  nextFile(): string {
    this.#count += 1;
    return path.join(this.directory, `${this.#count}.json`);
  }

  /** Runs the command to its end, to the time limit, or to the abort. Rejects where there is no recording. */
  async record({
    command,
    timeLimitMs,
    thresholdMs,
    file,
    workingDirectory,
    signal,
  }: RecordRequest): Promise<RecordedRun> {
    signal.throwIfAborted();
    const options = ['--quiet', '--threshold', String(thresholdMs), '--json', file];
    const child = spawn(process.execPath, [this.#cli, 'run', ...options, '--', ...command], {
      cwd: workingDirectory,
      // Of its own: a kill reaches the program and all that it has started, and not the client of this server.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    let [output, isAtLimit] = ['', false];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_TAIL)));
    }
    const stop = (): void => {
      child.kill('SIGTERM');
      setTimeout(() => {
        killProgram(child);
      }, GRACE_MS).unref();
      setTimeout(() => {
        kill(child);
      }, GRACE_MS + WRITE_MS).unref();
    };
    const timer = setTimeout(() => {
      isAtLimit = true;
      stop();
    }, timeLimitMs);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const [code, by] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (...how) => {
          resolve(how);
        });
      });
      signal.throwIfAborted();
      const ended = `${by ?? `exit code ${code ?? ''}`}${isAtLimit ? ', at the time limit' : ''}`;
      return { file, ended, output: dataText(output, 800) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      this.#children.delete(child);
      kill(child); // what the program has left behind
    }
  }

  /** Kills what still runs. */
  end(): void {
    for (const child of this.#children) kill(child);
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** What `loopwatch run` has started: it then writes what it has recorded. Elsewhere than on Linux, that is not known. */
function killProgram({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  for (const descendant of descendantIdsOf(pid)) {
    try {
      process.kill(descendant, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/** The files of several runs: `before.json` as `before-1.json`, `before-2.json`. */
export function numbered(file: string, run: number, runs: number): string {
  const { dir, name, ext } = path.parse(file);
  if (ext !== '.json') throw new Error(`Expected as output a file that ends in .json, got ${quoted(file)}.`);
  return runs === 1 ? file : path.join(dir, `${name}-${run}${ext}`);
}
