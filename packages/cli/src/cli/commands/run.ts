import process from 'node:process';

import { createChannel, type RecordReader } from '../../channel/reader.js';
import { prepareFiles } from '../files/prepare-files.js';
import { outlivingProcesses } from '../inspect/program/outliving-processes.js';
import { leaveOnSignal } from '../platform/leave-on-signal.js';
import { createChannelDirectory, removeChannelDirectory, unwritable } from '../program/channel-directory.js';
import { isAlive, isStopped } from '../program/is-alive.js';
import { endedByKey, KILLED } from '../program/outcome.js';
import { PREFIX, say } from '../terminal/output.js';
import { endEcho } from '../terminal/stream-style.js';
import { watchAndConclude } from './conclude.js';
import { effectiveThreshold } from './fail-on.js';
import { isGitHubJob } from './github-job.js';
import { startProgram } from './start-program.js';
import { channelConfigOf, type End, type SessionOptions, type Watched, type WatchSession } from './watched.js';

export interface RunOptions extends SessionOptions {
  /** ms */
  readonly killAfter?: number;
}

/** Runs the program, prints each block when it ends, and exits as the program did. */
export async function run(command: readonly string[], options: RunOptions): Promise<void> {
  const files = await prepareFiles(options);
  let directory: string | undefined;
  const remove = (): void => {
    if (directory !== undefined) removeChannelDirectory(directory);
  };
  const leaveWithoutProgram = leaving(remove);
  try {
    leaveWithoutProgram.begin();
    directory = createChannelDirectory();
    const effective = { ...options, threshold: effectiveThreshold(options.threshold, options.failOn) };
    const watched = await programToStart(command, directory, effective, leaveWithoutProgram);
    await watchAndConclude(watched, files, effective);
  } finally {
    remove();
    leaveWithoutProgram.end();
  }
}

/** Before and after the program, a signal ends this process; while it runs, the program gets the signals. */
interface Leaving {
  begin(): void;
  end(): void;
}

function leaving(leave: () => void): Leaving {
  let stop: (() => void) | undefined;
  return {
    begin: () => {
      stop ??= leaveOnSignal(leave);
    },
    end: () => {
      stop?.();
      stop = undefined;
    },
  };
}

/** What only some runs need is loaded by them alone: loading is most of what a short run costs. */
async function programToStart(
  command: readonly string[],
  directory: string,
  options: RunOptions,
  leaveWithoutProgram: Leaving,
): Promise<Watched> {
  const { quiet, killAfter: limitMs, color } = options;
  const ending = limitMs === undefined ? undefined : { limitMs, directory, color, prefixWidth: PREFIX.length, say };
  const killAfter = ending && new (await import('./kill-after.js')).KillAfter(ending);
  const { programSource } = needsSource(options) ? await import('../program/source.js') : {};
  return {
    command,
    isAttached: false,
    reader: createProgramChannel(directory, options),
    recordsPlace: directory,
    // Before the program, which may change the checkout.
    source: programSource?.(process.cwd(), process.env),
    isAlive: (instance) => isAlive(Number(instance)),
    isStopped: (instance) => isStopped(Number(instance)),
    onRecord: (record) => {
      killAfter?.note(record);
    },
    onRead: (ongoing) => {
      killAfter?.check(ongoing);
    },
    async watch({ store }: WatchSession): Promise<End> {
      const outcome = await startProgram(command, directory, {
        store,
        say: quiet ? () => undefined : say,
        withArguments: options.withArguments === true,
        onStart: (kill) => {
          leaveWithoutProgram.end();
          killAfter?.begins(kill);
        },
      });
      leaveWithoutProgram.begin();
      const wasKilled = (await killAfter?.ended()) === true;
      store.unwatched.push(...(await outlivingProcesses(directory, options.withArguments === true)));
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
    const endsBlocked = options.killAfter !== undefined;
    return createChannel(directory, { ...channelConfigOf(options), ...(endsBlocked && { endsBlocked }) });
  } catch (cause) {
    throw unwritable(cause);
  }
}
