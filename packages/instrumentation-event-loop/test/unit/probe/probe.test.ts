import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GcObserver } from '../../../src/probe/gc-observer.js';
import { mainGlobal } from '../../../src/probe/main-global.js';
import { Probe, type ProbeOptions } from '../../../src/probe/probe.js';
import { SampleBuffer } from '../../../src/probe/sample-buffer.js';
import type { Sample } from '../../../src/contract/model.js';
import { PROBE_SYMBOL } from '../../../src/contract/probe-answers.js';

const storage = new AsyncLocalStorage<string>();
let samples: SampleBuffer;
let gcObserver: GcObserver;
let now: number;
let probe: Probe;

function makeProbe(overrides: Partial<ProbeOptions> = {}): Probe {
  return new Probe({
    samples,
    gcObserver,
    now: () => now,
    requestedAt: () => now - 3,
    threadTimes: () => ({ cpuMs: 7, runQueueMs: 1 }),
    captureContext: () => storage.getStore(),
    isWorker: false,
    hangReports: () => 'the reports',
    ...overrides,
  });
}

/** As the watchdog does it: the inspector's own script is the frame on top. */
function interrupt(wantsReport?: boolean): unknown {
  const entry = Reflect.get(mainGlobal, Symbol.for(PROBE_SYMBOL)) as ((wantsReport?: boolean) => unknown) | undefined;
  return entry?.(wantsReport);
}

function taken(): Sample[] {
  return samples.take(-Infinity, Infinity);
}

beforeEach(() => {
  samples = new SampleBuffer();
  gcObserver = new GcObserver(() => now);
  now = 1000;
  probe = makeProbe();
  probe.install();
});

afterEach(() => {
  probe.uninstall();
  gcObserver.disarm();
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

  test('has the context, the times and the moments', () => {
    storage.run('request 7', interrupt);
    expect(taken()).toMatchObject([
      {
        requestedAt: 997,
        takenAt: 1000,
        context: 'request 7',
        threadTimes: { cpuMs: 7, runQueueMs: 1 },
        pending: undefined,
      },
    ]);
  });

  test('arms the watch of collections', () => {
    expect(gcObserver.isArmed).toBe(false);
    interrupt();
    expect(gcObserver.isArmed).toBe(true);
  });
});

describe('what the application did', () => {
  test('to Error does not spoil the stack, and is left as it was', () => {
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

  test('to Array does not reach the stack', () => {
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

describe('it throws nothing', () => {
  test('when the context cannot be read: the sample is lost, the next is not', () => {
    let isBroken = true;
    probe.uninstall();
    probe = makeProbe({
      captureContext: () => {
        if (isBroken) throw new Error('a broken context manager');
        return undefined;
      },
    });
    probe.install();
    expect(interrupt()).toBe(0);
    isBroken = false;
    expect(interrupt()).toBe(1);
    expect(taken()).toHaveLength(1);
  });

  test('when it is asked while it answers: the second question is not answered', () => {
    let inner: unknown;
    probe.uninstall();
    probe = makeProbe({
      captureContext: () => {
        inner = interrupt();
      },
    });
    probe.install();
    expect(interrupt()).toBe(1);
    expect(inner).toBe(0);
    expect(taken()).toHaveLength(1);
  });
});

describe('its answer', () => {
  test('begins the story with the number, where one is asked for', () => {
    expect(interrupt(true)).toBe('1the reports');
  });

  test('is that nobody ran when it stands in our own code', () => {
    function heartbeat(): unknown {
      probe.markOwnFunction();
      return interrupt();
    }
    expect(heartbeat()).toBe(0);
    const [sample] = taken();
    expect(sample).toMatchObject({ frames: [], asyncResource: '' });
  });

  test('is of who called, where the function that was marked is not on the stack', () => {
    (function markedFunction() {
      probe.markOwnFunction();
    })();
    expect(interrupt()).toBe(1);
  });
});

describe('its place on globalThis', () => {
  test('is the realm in which the watchdog asks, wherever the application runs', () => {
    expect(globalThis).not.toBe(mainGlobal); // Jest runs this file in a realm of its own
    expect(Reflect.has(globalThis, Symbol.for(PROBE_SYMBOL))).toBe(false);
    expect(interrupt()).toBe(1);
  });

  test('is not to be seen in a loop over its keys', () => {
    expect(Object.keys(mainGlobal)).not.toContain(PROBE_SYMBOL);
    expect(Reflect.getOwnPropertyDescriptor(mainGlobal, Symbol.for(PROBE_SYMBOL))).toMatchObject({
      enumerable: false,
      writable: false,
    });
  });

  test('is free after it is uninstalled', () => {
    probe.uninstall();
    expect(interrupt()).toBeUndefined();
  });

  test('is left to a later probe that has taken it', () => {
    const later = makeProbe();
    later.install();
    probe.uninstall();
    expect(interrupt()).toBe(1);
    later.uninstall();
    expect(interrupt()).toBeUndefined();
  });
});
