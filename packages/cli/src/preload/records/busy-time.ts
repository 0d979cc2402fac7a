import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import type { BusyMessage, BusyShare } from '@loopwatch/instrumentation-event-loop';

import type { BusyAnswers, BusyPeriod } from '../../model/busy-time/busy.js';
import { Math } from '../built-ins.js';
import { guarded } from '../guard.js';

const CHANNEL = 'loopwatch:busy';

/** Calls `write` with the busy time of each second, until the function that it returns is called. */
export function watchBusyTime(instance: string, write: (period: BusyPeriod) => void): () => void {
  const onMessage = guarded((message: unknown): void => {
    const { threadId, threadName, startEpochMs, durationMs, busyMs, runQueueTimeMs, gcTimeMs, answers, shares } =
      message as BusyMessage;
    // The last window of a thread may have no busy time at all: a reader takes no such period.
    if (microseconds(busyMs) === 0) return;
    const startMs = microseconds(startEpochMs);
    const kept: BusyAnswers[] = [];
    for (let i = 0; i < shares.length; i++) kept[i] = answersOf(shares[i]!);
    write({
      instance,
      threadName,
      threadId,
      startMs,
      endMs: microseconds(startEpochMs + durationMs),
      busyMs: microseconds(busyMs),
      ...(runQueueTimeMs !== undefined && { runQueueMs: microseconds(runQueueTimeMs) }),
      ...(gcTimeMs !== undefined && { gcMs: microseconds(gcTimeMs), gcMeasuredMs: microseconds(busyMs) }),
      answerCount: answers,
      answers: kept,
    });
  });
  subscribe(CHANNEL, onMessage);
  return () => {
    unsubscribe(CHANNEL, onMessage);
  };
}

/** A copy of the instrumentation in the program may be older, and then does not know the weight. */
function answersOf({
  request,
  culprit,
  stack,
  isInBlock,
  answers,
  weightMs = answers,
  lateAnswers,
}: Omit<BusyShare, 'weightMs'> & { readonly weightMs?: number }): BusyAnswers {
  const weight = microseconds(weightMs);
  return {
    ...(request !== undefined && { request }),
    ...(culprit && { culprit }),
    ...(stack !== '' && { stack }),
    ...(isInBlock && { isInBlock }),
    weight,
    ...(lateAnswers > 0 && { lateWeight: microseconds((weight * lateAnswers) / answers) }),
  };
}

function microseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
