import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_BLOCKED_ASYNC_RESOURCE,
  ATTR_BLOCKED_BECAUSE,
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_EXCLUDED_TIME,
  ATTR_BLOCKED_GC_TIME,
  ATTR_BLOCKED_LINES,
  ATTR_BLOCKED_PENDING,
  ATTR_BLOCKED_PROFILE,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_BLOCKED_SAMPLE_COUNT,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_BLOCKED_SUPPRESSED_COUNT,
  ATTR_CODE_COLUMN_NUMBER,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_LINE_NUMBER,
  ATTR_CODE_STACKTRACE,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
} from '../semconv.js';
import type { BlockInfo } from '../types.js';

/** The attributes of an `event-loop-blocked` span; those without a known value are undefined. */
export function blockAttributes(block: BlockInfo): Attributes {
  return {
    [ATTR_BLOCKED_CAUSE]: block.cause,
    [ATTR_BLOCKED_BECAUSE]: block.because,
    [ATTR_BLOCKED_EXCLUDED_TIME]: seconds(excludedMsOf(block)),
    [ATTR_BLOCKED_CPU_TIME]: seconds(block.cpuTimeMs),
    [ATTR_BLOCKED_GC_TIME]: seconds(block.gcTimeMs),
    [ATTR_BLOCKED_RUN_QUEUE_TIME]: seconds(block.runQueueTimeMs),
    [ATTR_BLOCKED_STACK_QUALITY]: block.stackQuality,
    [ATTR_BLOCKED_SAMPLE_COUNT]: block.sampleCount,
    [ATTR_BLOCKED_PROFILE]: block.profile,
    [ATTR_BLOCKED_LINES]: block.lines,
    [ATTR_BLOCKED_ASYNC_RESOURCE]: block.asyncResource,
    [ATTR_BLOCKED_PENDING]: block.pending === undefined ? undefined : [...block.pending],
    [ATTR_BLOCKED_SUPPRESSED_COUNT]: block.suppressedCount,
    [ATTR_CODE_FUNCTION_NAME]: block.culprit?.functionName,
    [ATTR_CODE_FILE_PATH]: block.culprit?.filePath,
    [ATTR_CODE_LINE_NUMBER]: block.culprit?.lineNumber,
    [ATTR_CODE_COLUMN_NUMBER]: block.culprit?.columnNumber,
    [ATTR_CODE_STACKTRACE]: block.stackTrace,
    [ATTR_THREAD_ID]: block.threadId,
    [ATTR_THREAD_NAME]: block.threadName,
  };
}

/** Time between the start and the end of a block that is not in its duration; undefined where that is none. */
export function excludedMsOf({ startTime, endTime, durationMs }: BlockInfo): number | undefined {
  const excludedMs = endTime - startTime - durationMs;
  return excludedMs < MIN_EXCLUDED_MS ? undefined : excludedMs;
}

/** The difference of rounded times. */
const MIN_EXCLUDED_MS = 1;

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
