import type { HangDestination, HangReport, PlainAttributes } from '../../contract/hang-report.js';
import { printable } from '../../contract/printable.js';
import { NO_HANG_REPORTS, type StalledThread, type TimesSoFar } from '../../contract/stalled-thread.js';
import {
  ATTR_BLOCKED_ANSWER_AGE,
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CHILD_PROCESSES,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_REQUEST,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
} from '../../semconv.js';
import { parseHangReports } from './parse-hang-reports.js';

/**
 * What is known of the hang, for each receiver: from the thread's answer, else from what the watchdog sees of it. None where
 * the thread has answered that this is no block, as while it loads the SDK.
 */
export function hangReportsOf(thread: StalledThread, destinations: readonly HangDestination[]): readonly HangReport[] {
  const { hangReports, silence } = thread;
  const answered = hangReports === undefined ? undefined : parseHangReports(hangReports);
  if (answered && !silence) return answered;
  const attributes = attributesWithoutAnswer(thread);
  if (!answered || answered.length === 0) {
    return destinations.map((destination) => ({ ...destination, parent: undefined, links: [], attributes }));
  }
  // An answer from before says in whose request the thread was, and no more where it is now.
  return answered.map((report) => {
    const request = report.attributes[ATTR_BLOCKED_REQUEST];
    return {
      ...report,
      attributes: request === undefined ? attributes : { ...attributes, [ATTR_BLOCKED_REQUEST]: request },
    };
  });
}

/** Whether the thread has just answered that what it does is no block so far. */
export function deniesHang({ hangReports, silence }: StalledThread): boolean {
  return hangReports === NO_HANG_REPORTS && !silence;
}

/** What is known of a thread that does not answer; its code and its collections are not. */
export function attributesWithoutAnswer({ threadId, threadName, silence }: StalledThread): PlainAttributes {
  const { cause = 'unknown', answerAgeMs, childProcesses = [] } = silence ?? {};
  return {
    [ATTR_BLOCKED_CAUSE]: cause,
    ...timeAttributes(silence),
    ...seconds(ATTR_BLOCKED_ANSWER_AGE, answerAgeMs),
    ...(childProcesses.length > 0 ? { [ATTR_BLOCKED_CHILD_PROCESSES]: childProcesses } : {}),
    [ATTR_BLOCKED_STACK_QUALITY]: 'none',
    [ATTR_THREAD_ID]: threadId,
    [ATTR_THREAD_NAME]: printable(threadName),
  };
}

export function timeAttributes(times: TimesSoFar | undefined): PlainAttributes {
  return {
    ...seconds(ATTR_BLOCKED_CPU_TIME, times?.cpuMs),
    ...seconds(ATTR_BLOCKED_RUN_QUEUE_TIME, times?.runQueueMs),
  };
}

function seconds(name: string, ms: number | undefined): PlainAttributes {
  return ms === undefined ? {} : { [name]: ms / 1000 };
}
