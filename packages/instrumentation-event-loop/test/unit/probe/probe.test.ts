import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GcMeter } from '../../../src/probe/gc-meter.js';
import { mainGlobal } from '../../../src/probe/main-global.js';
import { Probe, type ProbeOptions } from '../../../src/probe/probe.js';
import { SampleBuffer } from '../../../src/probe/sample-buffer.js';
import type { ContextReader } from '../../../src/contract/context-reader.js';
import type { Sample } from '../../../src/contract/model.js';
import type { CapturedAnswer } from '../../../src/contract/busy-time-data.js';
import { BUSY_CHECK, BUSY_QUESTION, BUSY_RECHECK, PROBE_SYMBOL } from '../../../src/contract/probe-answers.js';
import { BusyQuestion } from '../../../src/contract/registry-layout.js';

const storage = new AsyncLocalStorage<string>();
let samples: SampleBuffer;
let gcMeter: GcMeter;
let now: number;
let answering: boolean[];
let questionState: number;
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
      mayBeLate: () => false,
      add: () => undefined,
      get questionState() {
        return questionState;
      },
      setQuestionState: (next) => {
        questionState = next;
      },
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
  questionState = BusyQuestion.none;
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

describe('an answer for the time of the loop', () => {
  let answers: CapturedAnswer[];
  let timeReadings: number;
  let mayBeLate: boolean;

  beforeEach(() => {
    answers = [];
    timeReadings = 0;
    mayBeLate = false;
    probe.uninstall();
    probe = makeProbe({
      threadTimes: () => {
        timeReadings++;
        return { cpuMs: 7, runQueueMs: 1 };
      },
      busy: {
        takeArrivals: () => 2,
        question: () => ({ requestedAt: now - 3, sentAt: now - 2, sentRunQueueMs: 1 }),
        mayBeLate: () => mayBeLate,
        add: (answer) => answers.push(answer),
        get questionState() {
          return questionState;
        },
        setQuestionState: (next) => {
          questionState = next;
        },
      },
    });
    probe.install();
  });

  test('has the stack and the context of the interrupted code, and is no sample', () => {
    function parseFilters(): unknown {
      return interrupt(BUSY_QUESTION);
    }
    expect(storage.run('request 7', parseFilters)).toBe(1);
    expect(answers).toMatchObject([{ takenAt: 1000, sentAt: 998, context: 'request 7', arrivals: 2 }]);
    expect(answers[0]?.readFrames()[0]?.functionName).toBe('parseFilters');
    expect(taken()).toEqual([]);
  });

  test('reads the times of the thread only where it may be late', () => {
    interrupt(BUSY_QUESTION);
    expect([timeReadings, answers[0]?.threadTimes]).toEqual([0, undefined]);
    mayBeLate = true;
    interrupt(BUSY_QUESTION);
    expect([timeReadings, answers[1]?.threadTimes]).toEqual([1, { cpuMs: 7, runQueueMs: 1 }]);
  });

  test('ends with its check', () => {
    questionState = BusyQuestion.asked;
    interrupt(BUSY_QUESTION);
    expect(questionState).toBe(BusyQuestion.answered);
    interrupt(BUSY_CHECK);
    expect(questionState).toBe(BusyQuestion.none);
  });

  test('that was terminated before it began is lost', () => {
    questionState = BusyQuestion.asked;
    interrupt(BUSY_CHECK);
    expect(questionState).toBe(BusyQuestion.lost);
  });

  test('that was terminated in its middle is lost, and the next one is not', () => {
    questionState = BusyQuestion.asked;
    const terminated = makeProbe({
      busy: {
        takeArrivals: () => 0,
        question: () => ({ requestedAt: 0, sentAt: 0, sentRunQueueMs: 0 }),
        mayBeLate: () => false,
        add: () => undefined,
        get questionState() {
          return questionState;
        },
        // As V8 does it: nothing of the answer runs on.
        setQuestionState: (next) => {
          if (next !== BusyQuestion.answered) questionState = next;
        },
      },
    });
    probe.uninstall();
    probe = terminated;
    probe.install();
    interrupt(BUSY_QUESTION);
    expect(questionState).toBe(BusyQuestion.answering);
    interrupt(BUSY_CHECK);
    expect(questionState).toBe(BusyQuestion.lost);
    expect(interrupt(BUSY_QUESTION)).toBe(1);
  });

  test.each([
    ['nothing was lost', BusyQuestion.none, 0],
    ['the stack had no room for an answer', BusyQuestion.asked, 0],
    ['the answer was terminated', BusyQuestion.answering, 1],
    ['the check was terminated', BusyQuestion.answered, 1],
    ['the answer was terminated and the check has said so', BusyQuestion.lost, 1],
  ])('where it is asked about later, and %s', (_what, before, expected) => {
    questionState = before;
    expect(interrupt(BUSY_RECHECK)).toBe(expected);
    expect(questionState).toBe(BusyQuestion.none);
  });
});
