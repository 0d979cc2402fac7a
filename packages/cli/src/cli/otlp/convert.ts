import {
  ATTR_BLOCKED_ASYNC_RESOURCE,
  ATTR_BLOCKED_BECAUSE,
  ATTR_BLOCKED_CAUSE,
  ATTR_BLOCKED_CPU_TIME,
  ATTR_BLOCKED_EXCLUDED_TIME,
  ATTR_BLOCKED_GC_TIME,
  ATTR_BLOCKED_LINES,
  ATTR_BLOCKED_ANSWER_AGE,
  ATTR_BLOCKED_CHILD_PROCESSES,
  ATTR_BLOCKED_PENDING,
  ATTR_BLOCKED_PROFILE,
  ATTR_BLOCKED_REQUEST,
  ATTR_BLOCKED_RUN_QUEUE_TIME,
  ATTR_BLOCKED_SAMPLE_COUNT,
  ATTR_BLOCKED_STACK_QUALITY,
  ATTR_BLOCKED_SUPPRESSED_COUNT,
  ATTR_BLOCKED_VICTIMS,
  ATTR_BLOCKED_VICTIM_WAIT_TIME,
  ATTR_BLOCKED_WAIT_TIME,
  ATTR_BUSY_ANSWER_COUNT,
  ATTR_BUSY_GC_TIME,
  ATTR_BUSY_PROFILE,
  ATTR_BUSY_REQUEST_SHARE,
  ATTR_BUSY_RUN_QUEUE_TIME,
  ATTR_BUSY_SHARE,
  ATTR_CODE_COLUMN_NUMBER,
  ATTR_CODE_FILE_PATH,
  ATTR_CODE_FUNCTION_NAME,
  ATTR_CODE_LINE_NUMBER,
  ATTR_CODE_STACKTRACE,
  ATTR_LIBUV_THREAD_POOL_HOLDERS,
  ATTR_LIBUV_THREAD_POOL_LANE,
  ATTR_LIBUV_THREAD_POOL_QUEUED,
  ATTR_LIBUV_THREAD_POOL_REQUESTS,
  ATTR_LIBUV_THREAD_POOL_SIZE,
  ATTR_REQUEST,
  ATTR_THREAD_ID,
  ATTR_THREAD_NAME,
  ATTR_UTILIZATION,
  SPAN_EVENT_LOOP_BLOCKED,
} from '@loopwatch/instrumentation-event-loop/semconv';

import { withoutUndefined } from '../../model/collections.js';
import type { Saturation } from '../../model/delays/saturation.js';
import type { PoolWait } from '../../model/delays/thread-pool.js';
import { duration, name, spanId, time, traceId } from '../../model/rules.js';
import { browsableUrl } from '../../model/text/source-url.js';
import {
  type Attributes,
  type AttributeValue,
  type Block,
  CAUSES,
  type CodeLocation,
  type Instance,
  STACK_QUALITIES,
  type TraceSpan,
  type VersionControl,
} from '../../model/types.js';
import type { DecodedSpan } from './decoded.js';

const STATUS_ERROR = 2;
/** Of `SpanKind`. */
const MAX_KIND = 5;

/** The instance that a resource describes. */
export function instanceFromResource(resource: Attributes): Instance {
  const service = textOf(resource['service.name']) ?? 'unknown_service';
  const pid = numberOf(resource['process.pid']);
  const host = textOf(resource['host.name']);
  const instanceId = textOf(resource['service.instance.id']);
  const pod = textOf(resource['k8s.pod.name']);
  const process = pid === undefined ? host : `${host ?? ''}:${pid}`;
  const command = textOf(resource['process.command']);
  const version = textOf(resource['service.version']);
  const directory = textOf(resource['process.working_directory']);
  const vcs = versionControlOf(resource);
  return {
    id: [textOf(resource['service.namespace']) ?? '', service, instanceId ?? pod ?? process ?? ''].join('/'),
    service,
    label: pod ?? (pid === undefined ? (instanceId?.slice(0, 8) ?? host ?? 'instance') : `pid ${pid}`),
    ...(version !== undefined && { version }),
    ...(vcs && { vcs }),
    ...(directory !== undefined && { directory }),
    ...(pid !== undefined && { pid }),
    ...(command !== undefined && { command }),
  };
}

/** What a link to the source needs; undefined if the resource lacks it, or if no browser opens the address. */
function versionControlOf(resource: Attributes): VersionControl | undefined {
  const repositoryUrl = browsableUrl(textOf(resource['vcs.repository.url.full']) ?? '');
  const revision = textOf(resource['vcs.ref.head.revision']);
  return repositoryUrl === undefined || revision === undefined ? undefined : { repositoryUrl, revision };
}

/** The attributes of a span that are kept: those that name it as a request or as a victim. */
const KEPT_ATTRIBUTES = ['http.route', 'url.path', 'http.target', ATTR_BLOCKED_WAIT_TIME] as const;
/** The SDKs' own limit. */
const MAX_LINKS = 128;

/** The span as it is kept; undefined without valid ids and times. */
export function traceSpanFrom(span: DecodedSpan, instance: string, scope: string): TraceSpan | undefined {
  const ids = { traceId: traceId(span.traceId), spanId: spanId(span.spanId), parentSpanId: spanId(span.parentSpanId) };
  const startMs = time(span.startMs);
  const endMs = time(span.endMs);
  if (ids.traceId === undefined || ids.spanId === undefined || startMs === undefined || endMs === undefined)
    return undefined;
  if (duration(endMs - startMs) === undefined && endMs > startMs) return undefined;
  return {
    traceId: ids.traceId,
    spanId: ids.spanId,
    ...(ids.parentSpanId !== undefined && { parentSpanId: ids.parentSpanId }),
    name: name(span.name) ?? '',
    instance,
    scope: name(scope) ?? '',
    kind: spanKind(span.kind),
    startMs,
    endMs: Math.max(startMs, endMs),
    error: span.statusCode === STATUS_ERROR,
    attributes: Object.fromEntries(
      KEPT_ATTRIBUTES.flatMap((key) => {
        const value = keptValue(span.attributes[key]);
        return value === undefined ? [] : [[key, value]];
      }),
    ),
    links: span.links
      .slice(0, MAX_LINKS)
      .filter((link) => traceId(link.traceId) !== undefined && spanId(link.spanId) !== undefined),
  };
}

function keptValue(value: AttributeValue | undefined): AttributeValue | undefined {
  return typeof value === 'string' ? name(value) : numberOf(value);
}

function spanKind(code: number): number {
  return Number.isInteger(code) && code >= 0 && code <= MAX_KIND ? code : 0;
}

/** The block that an `event-loop-blocked` or `event-loop-hang` span reports. The store accepts it, or does not. */
export function blockFromSpan(span: TraceSpan, attributes: Attributes): Block {
  const spanMs = span.endMs - span.startMs;
  const excludedMs = secondsOf(attributes[ATTR_BLOCKED_EXCLUDED_TIME]) ?? 0;
  const isExcluded = excludedMs > 0 && excludedMs <= spanMs;
  return withoutUndefined({
    id: span.spanId,
    instance: span.instance,
    startMs: span.startMs,
    durationMs: isExcluded ? spanMs - excludedMs : spanMs,
    excludedMs: isExcluded ? excludedMs : undefined,
    ended: span.name === SPAN_EVENT_LOOP_BLOCKED,
    cause: oneOf(CAUSES, attributes[ATTR_BLOCKED_CAUSE], 'unknown'),
    because: textOf(attributes[ATTR_BLOCKED_BECAUSE]),
    culprit: culpritOf(attributes),
    stackTrace: textOf(attributes[ATTR_CODE_STACKTRACE]),
    stackQuality: oneOf(STACK_QUALITIES, attributes[ATTR_BLOCKED_STACK_QUALITY], 'none'),
    sampleCount: numberOf(attributes[ATTR_BLOCKED_SAMPLE_COUNT]) ?? 0,
    profile: textOf(attributes[ATTR_BLOCKED_PROFILE]),
    lines: textOf(attributes[ATTR_BLOCKED_LINES]),
    cpuMs: secondsOf(attributes[ATTR_BLOCKED_CPU_TIME]),
    gcMs: secondsOf(attributes[ATTR_BLOCKED_GC_TIME]),
    runQueueMs: secondsOf(attributes[ATTR_BLOCKED_RUN_QUEUE_TIME]),
    asyncResource: textOf(attributes[ATTR_BLOCKED_ASYNC_RESOURCE]),
    request: textOf(attributes[ATTR_BLOCKED_REQUEST]),
    suppressedCount: numberOf(attributes[ATTR_BLOCKED_SUPPRESSED_COUNT]) ?? 0,
    pending: textsOf(attributes[ATTR_BLOCKED_PENDING]),
    childProcesses: textsOf(attributes[ATTR_BLOCKED_CHILD_PROCESSES]),
    answerAgeMs: secondsOf(attributes[ATTR_BLOCKED_ANSWER_AGE]),
    threadId: numberOf(attributes[ATTR_THREAD_ID]) ?? 0,
    threadName: textOf(attributes[ATTR_THREAD_NAME]) ?? 'main',
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    victimCount: numberOf(attributes[ATTR_BLOCKED_VICTIMS]),
    victimWaitMs: secondsOf(attributes[ATTR_BLOCKED_VICTIM_WAIT_TIME]),
  }) as Block;
}

/** What the span of a wait for libuv's pool says; whether the task has run by then, it does not say. */
export function poolWaitFromSpan(span: TraceSpan, attributes: Attributes): Readonly<Record<keyof PoolWait, unknown>> {
  return {
    instance: span.instance,
    startMs: span.startMs,
    durationMs: span.endMs - span.startMs,
    ended: undefined,
    size: attributes[ATTR_LIBUV_THREAD_POOL_SIZE],
    holders: attributes[ATTR_LIBUV_THREAD_POOL_HOLDERS] ?? [],
    queued: attributes[ATTR_LIBUV_THREAD_POOL_QUEUED] ?? [],
    requests: attributes[ATTR_LIBUV_THREAD_POOL_REQUESTS],
    lane: attributes[ATTR_LIBUV_THREAD_POOL_LANE],
  };
}

/** What the span of a saturated loop says. */
export function saturationFromSpan(
  span: TraceSpan,
  attributes: Attributes,
): Readonly<Record<keyof Saturation, unknown>> {
  return {
    instance: span.instance,
    threadName: textOf(attributes[ATTR_THREAD_NAME]) ?? 'main',
    startMs: span.startMs,
    durationMs: span.endMs - span.startMs,
    utilization: attributes[ATTR_UTILIZATION],
    runQueueMs: secondsOf(attributes[ATTR_BUSY_RUN_QUEUE_TIME]),
    gcMs: secondsOf(attributes[ATTR_BUSY_GC_TIME]),
    culprit: culpritOf(attributes),
    share: attributes[ATTR_BUSY_SHARE],
    stackQuality: attributes[ATTR_BLOCKED_STACK_QUALITY],
    request: attributes[ATTR_REQUEST],
    requestShare: attributes[ATTR_BUSY_REQUEST_SHARE],
    answerCount: attributes[ATTR_BUSY_ANSWER_COUNT],
    profile: attributes[ATTR_BUSY_PROFILE],
  };
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function culpritOf(attributes: Attributes): CodeLocation | undefined {
  const functionName = textOf(attributes[ATTR_CODE_FUNCTION_NAME]);
  const filePath = textOf(attributes[ATTR_CODE_FILE_PATH]);
  if (functionName === undefined && filePath === undefined) return undefined;
  return {
    functionName: functionName ?? '<anonymous>',
    filePath: filePath ?? '',
    lineNumber: numberOf(attributes[ATTR_CODE_LINE_NUMBER]) ?? 0,
    columnNumber: numberOf(attributes[ATTR_CODE_COLUMN_NUMBER]) ?? 0,
  };
}

export function textOf(value: AttributeValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: AttributeValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function secondsOf(value: AttributeValue | undefined): number | undefined {
  const seconds = numberOf(value);
  return seconds === undefined ? undefined : seconds * 1000;
}

function oneOf<T extends string>(known: readonly T[], value: AttributeValue | undefined, otherwise: T): T {
  return known.find((item) => item === value) ?? otherwise;
}
