import { performance } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';

import type { BlockInfo } from '@loopwatch/instrumentation-event-loop';
import { excludedMsOf } from '@loopwatch/instrumentation-event-loop/internal';
import { trace } from '@opentelemetry/api';

import type { Block } from '../../model/types.js';
import { Math } from '../built-ins.js';

const { timeOrigin } = performance;
/** A process id, which an instance has as its name, can be that of an earlier program: after `process.execve`, or used again. */
const PROGRAM = Math.round(timeOrigin);
let count = 0;

/** The block as a record of the channel. */
export function blockFromInfo(info: BlockInfo, instance: string, request: string | undefined): Block {
  count += 1;
  const spanContext = trace.getSpanContext(info.context);
  const optional = {
    culprit: info.culprit,
    stackTrace: info.stackTrace,
    profile: info.profile,
    lines: info.lines,
    because: info.because,
    excludedMs: microseconds(excludedMsOf(info)),
    cpuMs: microseconds(info.cpuTimeMs),
    gcMs: microseconds(info.gcTimeMs),
    runQueueMs: microseconds(info.runQueueTimeMs),
    asyncResource: info.asyncResource,
    request,
    pending: info.pending,
    traceId: spanContext?.traceId,
    parentSpanId: spanContext?.spanId,
  };
  return {
    // Of the thread that counts: the main thread also records blocks of workers, which count their own.
    id: `${instance}-${threadId}-${PROGRAM}-${count}`,
    instance,
    startMs: microseconds(timeOrigin + info.startTime),
    durationMs: microseconds(info.durationMs),
    ended: true,
    cause: info.cause,
    stackQuality: info.stackQuality,
    sampleCount: info.sampleCount,
    suppressedCount: info.suppressedCount,
    threadId: info.threadId,
    threadName: info.threadName,
    // JSON.stringify omits undefined fields.
    ...(optional as Partial<Block>),
  };
}

/** Rounds to microseconds: further digits would be noise. */
function microseconds<T extends number | undefined>(ms: T): T {
  return (ms === undefined ? undefined : Math.round(ms * 1000) / 1000) as T;
}
