import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { nodeBinary } from '@loopwatch/node-binaries';

import type { Combination } from '../combinations.ts';
import type { ProgramTree } from './program-tree.ts';
import { readTelemetry } from './telemetry.ts';
import type { Telemetry } from './telemetry.ts';

export interface RunOptions {
  readonly combination: Pick<Combination, 'nodeMajor'>;
  readonly tree: Pick<ProgramTree, 'directory' | 'kit'>;
  /** Path of the program, relative to the tree. */
  readonly program: string;
  readonly args?: readonly string[];
  /** How the telemetry starts: by `--import`, by `--require`, or in the program itself (`none`). Default: `import`. */
  readonly preload?: 'import' | 'require' | 'none';
  /** Options of kit/start-telemetry.cjs. */
  readonly telemetry?: Readonly<Record<string, unknown>>;
  /** Further flags of Node. */
  readonly flags?: readonly string[];
  /** A command that gets the command line of Node as its arguments: to run it with fewer CPUs or other limits. */
  readonly launcher?: readonly string[];
  /** Added to PATH, HOME and TMPDIR, the only variables that the program inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Called with the running program, for tests that send signals or requests to it. */
  readonly onStart?: (child: ChildProcess) => void;
}

export interface RunResult extends Telemetry {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From the start of the process to its end. */
  readonly durationMs: number;
}

const defaultTimeoutMs = 30_000;

/** Runs a program until it ends, in whatever way. Rejects when it cannot be started or reaches its time limit. */
export async function runProgram(options: RunOptions): Promise<RunResult> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-run-'));
  const output = path.join(scratch, 'telemetry.jsonl');
  const started = performance.now();
  try {
    const child = start(options, output);
    const outcome = await finished(child, options);
    return { ...outcome, ...readTelemetry(output), durationMs: performance.now() - started };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function start(options: RunOptions, output: string): ChildProcess {
  const { combination, tree, program, preload = 'import', launcher = [], flags = [], args = [] } = options;
  const preloadFlags = {
    import: ['--import', `file://${path.join(tree.kit, 'preload.mjs')}`],
    require: ['--require', path.join(tree.kit, 'preload.cjs')],
    none: [],
  }[preload];
  const command = [...launcher, nodeBinary(combination.nodeMajor)];
  return spawn(
    command[0]!,
    [...command.slice(1), ...flags, ...preloadFlags, path.join(tree.directory, program), ...args],
    {
      cwd: tree.directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...pick(process.env, ['PATH', 'HOME', 'TMPDIR']),
        ...wantedRate(),
        TEST_KIT_OUTPUT: output,
        TEST_KIT_OPTIONS: JSON.stringify(options.telemetry ?? {}),
        ...options.env,
      },
    },
  );
}

function finished(
  child: ChildProcess,
  { program, combination, onStart, timeoutMs = defaultTimeoutMs }: RunOptions,
): Promise<Pick<RunResult, 'exitCode' | 'signal' | 'stdout' | 'stderr'>> {
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  onStart?.(child);

  return new Promise((resolve, reject) => {
    let killed = false;
    const killTimer = setTimeout(() => {
      killed = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.on('error', reject);
    child.on('close', (exitCode, signal) => {
      clearTimeout(killTimer);
      if (!killed) resolve({ exitCode, signal, stdout, stderr });
      else {
        const output = `stdout: ${stdout.slice(-2000)}\nstderr: ${stderr.slice(-2000)}`;
        reject(
          new Error(`Expected ${program} on Node ${combination.nodeMajor} to end within ${timeoutMs} ms.\n${output}`),
        );
      }
    });
  });
}

/**
 * How often the programs of the tests are asked what they do, where `npm run test:long -- --asked-often` says so: not at
 * the default rate.
 */
export function wantedRate(): Record<string, string> {
  return pick(process.env, ['LOOPWATCH_BUSY_SAMPLES_PER_SECOND']);
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
