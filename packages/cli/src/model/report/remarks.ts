import { busySentences } from '../busy-time/busy-sentence.js';
import { busyPeriodsOfRecording } from '../busy-time/recorded-busy-time.js';
import { poolSentence } from '../delays/thread-pool.js';
import { unwatchedSentences } from '../processes/unwatched.js';
import { problemSentences } from '../processes/watch-problem.js';
import type { Recording } from '../recording/recording.js';
import { startUpSentence } from '../recording/start-up.js';

/**
 * What the absence of blocks must not hide, for the terminal and the report: a start-up above the limit, what kept the
 * loops busy, waits for libuv's thread pool, processes that were not watched, and what could not be done in the others.
 */
export function remarksOn(recording: Recording, limitMs: number): string[] {
  const startUp = startUpSentence(recording, limitMs);
  const pool = poolSentence(recording.threadPool ?? []);
  const unwatched = unwatchedSentences(recording.unwatchedProcesses ?? [], recording.directory);
  const problems = problemSentences(recording.problems ?? []);
  return [startUp, ...busyRemarksOn(recording), pool, ...unwatched, ...problems].filter(
    (sentence) => sentence !== undefined,
  );
}

function busyRemarksOn({ busyTime, blocks, lag, processes, directory }: Recording): string[] {
  if (!busyTime) return [];
  const periods = busyPeriodsOfRecording(busyTime);
  return busySentences({ periods, blocks, lag: lag.points, instances: processes, directory });
}

const NOTHING_WATCHED = 'Nothing was watched: no Node.js process has reported.';
const POSSIBLE_REASONS =
  'Loopwatch cannot follow a program that Bun or Deno runs, that replaces NODE_OPTIONS, runs in a container, with other ' +
  'directories or as another user, or whose --permission does not let it read the package of Loopwatch and write to the ' +
  'temporary directory.';

const NOTHING_RECORDED = 'Nothing was recorded: the process has written no record into the directory of the channel.';

/**
 * Said instead of "No block", which is not known: not even the start of a process was recorded. `isAttached`: the
 * process ran already, so no environment has kept Loopwatch from it.
 */
export function nothingWatchedSentence(
  { processes, unwatchedProcesses }: Pick<Recording, 'processes' | 'unwatchedProcesses'>,
  isAttached = false,
): string | undefined {
  if (processes.length > 0) return undefined;
  if (isAttached) return NOTHING_RECORDED;
  return unwatchedProcesses === undefined ? `${NOTHING_WATCHED} ${POSSIBLE_REASONS}` : NOTHING_WATCHED;
}
