import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GcMeter } from '../../../src/probe/gc-meter.js';
import { mainGlobal } from '../../../src/probe/main-global.js';
import { Probe, type ProbeOptions } from '../../../src/probe/probe.js';
import { SampleBuffer } from '../../../src/probe/sample-buffer.js';
import type { ContextReader } from '../../../src/contract/context-reader.js';
import type { Sample } from '../../../src/contract/model.js';
import { BUSY_QUESTION, PROBE_SYMBOL } from '../../../src/contract/probe-answers.js';

const storage = new AsyncLocalStorage<string>();
let samples: SampleBuffer;
let gcMeter: GcMeter;
let now: number;
let answering: boolean[];
let probe: Probe;

function reader(active: () => unknown, hasOpenSpan = false): ContextReader {
  return {
    active,
    hasOpenSpan: () => hasOpenSpan,
    infoOf: () => ({ request: undefined, span: '', startedAt: undefined, endedAt: undefined, isOfSdk: false }),
  };
}

function makeProbe(overrides: Partial<ProbeOptions> = {}): Probe {
  return new Probe({
    samples,
    gcMeter,
    now: () => now,
    question: () => ({ requestedAt: now - 3, sentAt: now - 2, sentRunQueueMs: 1 }),
    checkpointAt: () => 0,
    onAnswering: (isAnswering) => answering.push(isAnswering),
    threadTimes: () => ({ cpuMs: 7, runQueueMs: 1 }),
    contexts: reader(() => storage.getStore()),
    isOwnBundle: false,
    isWorker: false,
    ownImmediates: () => 0,
    reportIfEnding: () => undefined,
    busy: {
      takeArrivals: () => 0,
      question: () => ({ requestedAt: 0, sentAt: 0, sentRunQueueMs: 0 }),
      add: () => undefined,
      onAnswered: () => undefined,
    },
    onFrames: () => undefined,
    hangReports: () => 'the reports',
    ...overrides,
  });
}

/** Calls the probe as the watchdog does: the script of the inspector is the top frame. */
function interrupt(wanted?: boolean | string): unknown {
  const entry = Reflect.get(mainGlobal(), Symbol.for(PROBE_SYMBOL)) as ((wanted?: unknown) => unknown) | undefined;
  return entry?.(wanted);
}

function taken(): Sample[] {
  return samples.take(-Infinity, Infinity);
}

beforeEach(() => {
  samples = new SampleBuffer();
  gcMeter = new GcMeter(() => performance.now());
  now = 1000;
  answering = [];
  probe = makeProbe();
  probe.install();
});

afterEach(() => {
  probe.uninstall();
  gcMeter.disarm();
});

describe('a sample', () => {
  test('has the stack of the interrupted code, top first, without the probe and the inspector', () => {
    function createSpans(): unknown {
      return interrupt();
    }
    const handle = (): unknown => createSpans();
    expect(handle()).toBe(1);
    const [sample] = taken();
    expect(sample?.frames.slice(0, 2).map(({ functionName }) => functionName)).toEqual(['createSpans', 'handle']);
    expect(sample?.frames[0]?.fileName).toContain('probe.test.ts');
    expect(sample?.frames[0]?.lineNumber).toBeGreaterThan(0);
  });

  test('has the context, the thread times, and when it was requested and taken', () => {
    storage.run('request 7', interrupt);
    expect(taken()).toMatchObject([
      {
        requestedAt: 997,
        sentAt: 998,
        sentRunQueueMs: 1,
        takenAt: 1000,
        context: 'request 7',
        threadTimes: { cpuMs: 7, runQueueMs: 1 },
        pending: undefined,
      },
    ]);
  });

  test('is the first one of its thread only once', () => {
    interrupt();
    interrupt();
    expect(taken().map(({ isFirst }) => isFirst)).toEqual([true, false]);
  });

  test('has the time of its thread times although the thread loses the CPU before they are read', () => {
    probe.uninstall();
    let isFirst = true;
    probe = makeProbe({
      threadTimes: () => {
        if (isFirst) now += 50;
        isFirst = false;
        return { cpuMs: 7, runQueueMs: now - 1000 };
      },
    });
    probe.install();
    interrupt();
    expect(taken()).toMatchObject([{ takenAt: 1050, threadTimes: { runQueueMs: 50 } }]);
  });

  test('arms the observer of garbage collections', () => {
    expect(gcMeter.isArmed).toBe(false);
    interrupt();
    expect(gcMeter.isArmed).toBe(true);
  });
});

describe('a change by the application', () => {
  test('to Error does not change the stack, and is kept', () => {
    const { stackTraceLimit } = Error;
    const prepareStackTrace = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
    let calls = 0;
    const own = (): string => `called ${++calls}`;
    Error.stackTraceLimit = 0;
    Error.prepareStackTrace = own;
    try {
      interrupt();
      expect(Error.stackTraceLimit).toBe(0);
      expect(Reflect.get(Error, 'prepareStackTrace')).toBe(own);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      if (prepareStackTrace) Object.defineProperty(Error, 'prepareStackTrace', prepareStackTrace);
      else Reflect.deleteProperty(Error, 'prepareStackTrace');
    }
    expect(calls).toBe(0);
    expect(taken()[0]?.frames.length).toBeGreaterThan(0);
  });

  test('to Array does not change the stack', () => {
    const map = Object.getOwnPropertyDescriptor(Array.prototype, 'map')!;
    Array.prototype.map = () => {
      throw new Error('spoilt');
    };
    try {
      expect(interrupt()).toBe(1);
    } finally {
      Object.defineProperty(Array.prototype, 'map', map);
    }
  });
});

describe('the probe does not throw', () => {
  test('when the context cannot be read: only that sample is lost', () => {
    let isBroken = true;
    probe.uninstall();
    probe = makeProbe({
      contexts: reader(() => {
        if (isBroken) throw new Error('a broken context manager');
        return undefined;
      }),
    });
    probe.install();
    expect(interrupt()).toBe(0);
    isBroken = false;
    expect(interrupt()).toBe(1);
    expect(taken()).toHaveLength(1);
  });

  test('when a request comes during an answer: the second request gets no sample', () => {
    let inner: unknown;
    probe.uninstall();
    probe = makeProbe({
      contexts: reader(() => {
        inner = interrupt();
        return undefined;
      }),
    });
    probe.install();
    expect(interrupt()).toBe(1);
    expect(inner).toBe(0);
    expect(taken()).toHaveLength(1);
  });
});

describe('the answer of the probe', () => {
  test('is followed by the hang reports when they are requested', () => {
    expect(interrupt(true)).toBe('1the reports');
  });

  test("has the monitor's own functions marked", () => {
    function heartbeat(): unknown {
      probe.markOwnFunction();
      const found = [1].map(function findCulprit() {
        return interrupt();
      });
      return found[0];
    }
    (function application() {
      expect(heartbeat()).toBe(1);
    })();
    const own = taken()[0]?.frames.map(({ functionName, isOwn }) => [functionName, isOwn === true]);
    expect(own?.slice(0, 4)).toEqual([
      ['findCulprit', true],
      ['Array.map', false],
      ['heartbeat', true],
      ['application', false],
    ]);
  });

  test('is that of the caller when the marked function is not on the stack', () => {
    (function markedFunction() {
      probe.markOwnFunction();
    })();
    expect(interrupt()).toBe(1);
  });
});

describe('the property of globalThis', () => {
  test('is in the realm in which the watchdog evaluates, whatever the realm of the application', () => {
    expect(globalThis).not.toBe(mainGlobal()); // Jest runs this file in a realm of its own
    expect(Reflect.has(globalThis, Symbol.for(PROBE_SYMBOL))).toBe(false);
    expect(interrupt()).toBe(1);
  });

  test('is not enumerable', () => {
    expect(Object.keys(mainGlobal())).not.toContain(PROBE_SYMBOL);
    expect(Reflect.getOwnPropertyDescriptor(mainGlobal(), Symbol.for(PROBE_SYMBOL))).toMatchObject({
      enumerable: false,
      writable: false,
    });
  });

  test('is removed when the probe is uninstalled', () => {
    probe.uninstall();
    expect(interrupt()).toBeUndefined();
  });

  test('is kept when a later probe has replaced it', () => {
    const later = makeProbe();
    later.install();
    probe.uninstall();
    expect(interrupt()).toBe(1);
    later.uninstall();
    expect(interrupt()).toBeUndefined();
  });
});

test('the probe says when it begins and ends to answer, also when it fails', () => {
  interrupt();
  expect(answering).toEqual([true, false]);
  probe.uninstall();
  probe = makeProbe({
    threadTimes: () => {
      throw new Error('the descriptor is closed');
    },
  });
  probe.install();
  interrupt();
  expect(answering).toEqual([true, false, true, false]);
});

test('a thread that is about to be terminated reports its block after the sample was taken', () => {
  probe.uninstall();
  let seen: number | undefined;
  probe = makeProbe({
    reportIfEnding: () => {
      seen = samples.since(-Infinity).length;
    },
  });
  probe.install();
  interrupt();
  expect(seen).toBe(1);
});

test.each([
  ['what the thread has worked', 0.4, 0, 0.4],
  ['without its wait for a CPU', 30, 29, 1],
  ['never less than nothing', 30, 31, 0],
  ['all of it where the system does not show the wait', 30, undefined, 30],
])('the length of an answer for the time of the loop is %s', (_what, takenMs, waitedMs, workedMs) => {
  probe.uninstall();
  let at = 1000;
  let runQueueMs = waitedMs === undefined ? undefined : 100;
  const lengths: number[] = [];
  probe = makeProbe({
    now: () => at,
    threadTimes: () => ({ cpuMs: 7, runQueueMs }),
    onFrames: () => {
      at += takenMs;
      runQueueMs = waitedMs === undefined ? undefined : 100 + waitedMs;
    },
    busy: {
      takeArrivals: () => 0,
      question: () => ({ requestedAt: 0, sentAt: 0, sentRunQueueMs: 0 }),
      add: () => undefined,
      onAnswered: (ms) => lengths.push(ms),
    },
  });
  probe.install();
  interrupt(BUSY_QUESTION);
  expect(lengths).toEqual([expect.closeTo(workedMs)]);
});
