import type { BusyPeriod } from '../../../src/blocks/busy-period.js';
import type { JudgeContext } from '../../../src/blocks/judge.js';
import { mainContext } from '../../../src/blocks/contexts.js';
import type { Segment } from '../../../src/blocks/segments.js';
import { visibleIn } from '../../../src/blocks/visible.js';
import type {
  Attribution,
  Block,
  BlockTimes,
  ContextInterval,
  Frame,
  Reading,
  Sample,
} from '../../../src/contract/model.js';
import { contextReader } from './context-reader.js';

export const APP_FILE = '/srv/app/logs.js';

/** A frame of application code: `createSpans` in line 10 of a function that begins in line 5. */
export function frame(functionName: string, overrides: Partial<Frame> = {}): Frame {
  return {
    functionName,
    fileName: APP_FILE,
    lineNumber: 10,
    columnNumber: 7,
    functionLineNumber: 5,
    functionColumnNumber: 1,
    isAsync: false,
    ...overrides,
  };
}

export function dependencyFrame(functionName: string, overrides: Partial<Frame> = {}): Frame {
  return frame(functionName, { fileName: '/srv/app/node_modules/router/index.js', ...overrides });
}

/** A frame of a package of OpenTelemetry. */
export function telemetryFrame(functionName: string, overrides: Partial<Frame> = {}): Frame {
  return dependencyFrame(functionName, {
    fileName: '/srv/app/node_modules/@opentelemetry/instrumentation-http/build/src/http.js',
    ...overrides,
  });
}

/** The \`require\` of a package that wraps it. */
export function loaderHookFrame(functionName = 'Module.patchedRequire'): Frame {
  return dependencyFrame(functionName, { fileName: '/srv/app/node_modules/require-in-the-middle/index.js' });
}

export function nodeFrame(functionName: string, overrides: Partial<Frame> = {}): Frame {
  return frame(functionName, { fileName: 'node:internal/timers', ...overrides });
}

/** A builtin of V8, which has a name, but no file and no line. */
export function builtinFrame(functionName: string): Frame {
  return frame(functionName, {
    fileName: '',
    lineNumber: 0,
    columnNumber: 0,
    functionLineNumber: 0,
    functionColumnNumber: 0,
  });
}

/** A frame at the entry of its function: V8 answers there after an uninterruptible call. */
export function entryFrame(functionName: string, line = 30): Frame {
  const functionColumnNumber = 1;
  return frame(functionName, {
    lineNumber: line,
    functionLineNumber: line,
    functionColumnNumber,
    columnNumber: functionColumnNumber + 'function '.length + functionName.length,
  });
}

export function sample(frames: readonly Frame[], overrides: Partial<Sample> = {}): Sample {
  return {
    requestedAt: 0,
    sentAt: overrides.requestedAt ?? 0,
    sentRunQueueMs: undefined,
    takenAt: 0,
    passedCheckpoint: false,
    isFirst: false,
    frames,
    context: undefined,
    asyncResource: '',
    asyncId: 0,
    pending: undefined,
    threadTimes: undefined,
    inspected: false,
    ...overrides,
  };
}

/** A segment of `ms`. */
export function segment(
  frames: readonly Frame[],
  ms = 10,
  overrides: Partial<Omit<Segment, 'sample'>> = {},
  sampleOverrides: Partial<Sample> = {},
): Segment {
  const taken = sample(frames, sampleOverrides);
  const visible = visibleIn(taken, overrides.isLate ?? false);
  return {
    start: 0,
    end: ms,
    sample: taken,
    ...visible,
    ms,
    asleepMs: visible.state === 'asleep' ? (overrides.ms ?? ms) : 0,
    ranMs: overrides.ms ?? ms,
    computedMs: overrides.ranMs ?? overrides.ms ?? ms,
    collectedMs: 0,
    ...overrides,
  };
}

export const NO_TIMES: BlockTimes = { cpuMs: undefined, runQueueMs: undefined, gcMs: undefined };

export function attribution(overrides: Partial<Attribution> = {}): Attribution {
  return {
    cause: 'javascript',
    because: 'javascript 100 % of 200 ms',
    quality: 'live',
    culprit: frame('createSpans'),
    stack: [frame('createSpans'), frame('handle', { lineNumber: 40 })],
    profile: 'handle;createSpans 200',
    lines: undefined,
    sampleCount: 4,
    asyncResource: 'HTTPINCOMINGMESSAGE',
    pending: undefined,
    contexts: [],
    mainContext: undefined,
    ...overrides,
  };
}

/** Contexts that ran one after the other from `start` on, each for so many ms. */
export function ranIn(
  parts: readonly (readonly [context: unknown, ms: number])[],
  start = 1000,
): Pick<Attribution, 'contexts' | 'mainContext'> {
  const contexts: ContextInterval[] = [];
  for (const [context, ms] of parts) {
    const from = contexts.at(-1)?.end ?? start;
    contexts.push({ start: from, end: from + ms, context, asyncId: 0 });
  }
  return { contexts, mainContext: mainContext(contexts, contextReader.infoOf.bind(contextReader)) };
}

export function block(overrides: Partial<Block> = {}): Block {
  return {
    id: {},
    start: 1000,
    end: 1200,
    durationMs: 200,
    times: { cpuMs: 190, runQueueMs: 4, gcMs: 12 },
    attribution: attribution(),
    threadId: 0,
    threadName: 'main',
    hang: undefined,
    endings: [],
    ...overrides,
  };
}

export function sampleAt(takenAt: number, frames: readonly Frame[], overrides: Partial<Sample> = {}): Sample {
  return sample(frames, { requestedAt: takenAt, takenAt, ...overrides });
}

export function reading(at: number, idleTime: number, cpuMs?: number, runQueueMs?: number): Reading {
  return { at, idleTime, times: cpuMs === undefined ? undefined : { cpuMs, runQueueMs } };
}

export function busyPeriod(overrides: Partial<BusyPeriod> = {}): BusyPeriod {
  return {
    start: 1000,
    end: 1300,
    endings: [],
    hang: undefined,
    startUp: 'over',
    mayHaveLostIdle: false,
    samples: [],
    before: reading(1000, 50, 200, 10),
    after: reading(1300, 50, 490, 12),
    ...overrides,
  };
}

export function judgeContext(overrides: Partial<JudgeContext> = {}): JudgeContext {
  return {
    thresholdMs: 100,
    excluded: [],
    standstills: [],
    ownWork: [],
    sdkStart: undefined,
    gc: { observedSince: undefined, pauses: [] },
    isSampled: true,
    countsStartUp: false,
    threadId: 0,
    threadName: 'main',
    infoOf: contextReader.infoOf.bind(contextReader),
    mapStack: (stack: readonly Frame[]) => stack,
    ...overrides,
  };
}
