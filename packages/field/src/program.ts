import type { NodeMajor } from '@loopwatch/node-binaries';

/** How a program is started. `auto` is OpenTelemetry's auto-instrumentation alone: the base of `auto+register`. */
export const modes = ['plain', 'run', 'register', 'auto', 'auto+register'] as const;
export type Mode = (typeof modes)[number];

export const kinds = [
  'server',
  'build tool',
  'test runner',
  'pool',
  'job queue',
  'process manager',
  'heavy server',
  'heavy build tool',
] as const;
export type Kind = (typeof kinds)[number];

/**
 * A program of the npm registry and the work that it gets: plain data. Its folder, programs/<name>, holds its
 * package.json with exact versions, its package-lock.json, and the files that it works on.
 */
export interface FieldProgram {
  readonly name: string;
  /** The program whose folder it shares. Default: its own name. */
  readonly packagesOf?: string;
  readonly kind: Kind;
  /** What it does, for the report. */
  readonly work: string;
  /** Command line. `node` is the binary of the tested major, `{port}` a free port. */
  readonly command: readonly string[];
  /** Command line that makes the input, before each run; it is not compared. */
  readonly prepare?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Exit code of a program that ends by itself, without Loopwatch. Default: 0. */
  readonly exitCode?: number;
  /** Present for a program that serves until a signal ends it. */
  readonly server?: ServerWork;
  /** Blocks that it makes for certain: also where a profile is lost, as that of a terminated worker thread. */
  readonly expected?: readonly ExpectedBlocks[];
  /** Modes besides `plain` and `run`. */
  readonly withRegister?: boolean;
  readonly nodeMajors?: readonly NodeMajor[];
  /** Parts of its output that differ from run to run. */
  readonly noise?: readonly OutputNoise[];
  /** Whether the order of its output's lines depends on timing. */
  readonly unordered?: boolean;
  /** Whether the program maps the code it runs to other sources, so that V8's profile has other files and lines. */
  readonly sourceMapped?: boolean;
  /** Kill timer of one run. Default: 120 s. */
  readonly timeoutMs?: number;
}

export interface ExpectedBlocks {
  readonly functionName: string;
  /** At least so many blocks, by main thread, worker threads and child processes together. */
  readonly count: number;
}

export interface ServerWork {
  /** Path that answers with success once the server is ready. */
  readonly readyPath: string;
  readonly requests: readonly FieldRequest[];
  readonly signal: 'SIGTERM' | 'SIGINT';
}

export interface FieldRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is if it is a string, else as JSON. */
  readonly body?: unknown;
  /** Number of identical requests, sent at the same time. Default: 1. */
  readonly concurrent?: number;
}

/** What matches `pattern` is replaced by `by`; without it, the whole line is left out. */
export interface OutputNoise {
  readonly pattern: RegExp;
  readonly by?: string;
}

/** Name of the program's folder in programs/. */
export function folderOf({ name, packagesOf = name }: FieldProgram): string {
  return packagesOf;
}
