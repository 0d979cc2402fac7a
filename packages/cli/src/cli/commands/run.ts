import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

import { createChannel, type RecordReader } from '../../channel/reader.js';
import { prepareFiles } from '../files/write-files.js';
import { isAlive } from '../program/is-alive.js';
import { endedByKey, KILLED } from '../program/outcome.js';
import { programSource } from '../program/source.js';
import { PREFIX, say } from '../terminal/output.js';
import { endEcho } from '../terminal/stream-style.js';
import { isGitHubJob } from './ci.js';
import { watchAndConclude } from './conclude.js';
import { effectiveThreshold } from './fail-on.js';
import { KillAfter } from './kill-after.js';
import { startProgram } from './start-program.js';
import { channelConfigOf, type End, type SessionOptions, type Watched, type WatchSession } from './watched.js';

export interface RunOptions extends SessionOptions {
  /** ms */
  readonly killAfter?: number;
}

/** Runs the program, prints each block when it ends, and exits as the program did. */
export async function run(command: readonly string[], options: RunOptions): Promise<void> {
  const files = await prepareFiles(options);
  const directory = createDirectory();
  try {
    const effective = { ...options, threshold: effectiveThreshold(options.threshold, options.failOn) };
    await watchAndConclude(programToStart(command, directory, effective), files, effective);
  } finally {
    removeDirectory(directory);
  }
}

function programToStart(command: readonly string[], directory: string, options: RunOptions): Watched {
  const { quiet, killAfter: limitMs, color } = options;
  const killAfter =
    limitMs === undefined ? undefined : new KillAfter({ limitMs, directory, color, prefixWidth: PREFIX.length, say });
  return {
    command,
    isAttached: false,
    reader: createProgramChannel(directory, options),
    recordsPlace: directory,
    // Before the program, which may change the checkout.
    source: needsSource(options) ? programSource(process.cwd(), process.env) : undefined,
    isAlive: (instance) => isAlive(Number(instance)),
    onRead: (ongoing) => {
      killAfter?.check(ongoing);
    },
    async watch({ store }: WatchSession): Promise<End> {
      const outcome = await startProgram(command, directory, {
        store,
        say: quiet ? () => undefined : say,
        withArguments: options.withArguments === true,
        onStart: (kill) => killAfter?.begins(kill),
      });
      const wasKilled = (await killAfter?.ended()) === true;
      if (!quiet && endedByKey(outcome)) endEcho(process.stderr);
      return wasKilled ? { outcome: KILLED, exit: { ...outcome, killedAfterMs: limitMs } } : { outcome, exit: outcome };
    },
  };
}

/** A recording that is not kept does not need it. */
function needsSource({ json, report, pprof, gitlab, failOn, killAfter }: RunOptions): boolean {
  const isForGitHub = isGitHubJob() && (failOn ?? killAfter) !== undefined;
  return isForGitHub || (json ?? report ?? pprof ?? gitlab) !== undefined;
}

function createProgramChannel(directory: string, options: RunOptions): RecordReader {
  try {
    return createChannel(directory, channelConfigOf(options));
  } catch (cause) {
    throw unwritable(cause);
  }
}

function createDirectory(): string {
  try {
    return mkdtempSync(path.join(tmpdir(), 'loopwatch-'));
  } catch (cause) {
    throw unwritable(cause);
  }
}

function removeDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // A process that the program has left behind writes there.
  }
}

function unwritable(cause: unknown): Error {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new Error(
    `Cannot write to the temporary directory ${tmpdir()} (${code}). Set TMPDIR to a directory that can be written.`,
    { cause },
  );
}
