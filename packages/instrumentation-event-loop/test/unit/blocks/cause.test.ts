import { describe, expect, test } from '@jest/globals';
import { causeOf } from '../../../src/blocks/cause.js';
import type { Segment } from '../../../src/blocks/segments.js';
import type { BlockTimes, Cause, Frame, ThreadLooks } from '../../../src/contract/model.js';
import { builtinFrame, entryFrame, frame, nodeFrame, segment } from '../support/builders.js';

const app = frame('work');
const live = [segment([app], 100)];
const late = [segment([app], 100, { isLate: true })];
const inCommand = [segment([nodeFrame('spawnSync'), nodeFrame('execSync'), app], 100, { isLate: true })];
const inNode = [segment([nodeFrame('readSync'), app], 100)];
const asleep = [segment([builtinFrame('Atomics.wait'), app], 100)];

function times(cpuMs?: number, runQueueMs?: number, gcMs?: number): BlockTimes {
  return { cpuMs, runQueueMs, gcMs };
}

type Row = readonly [what: string, times: BlockTimes, samples: readonly Segment[], cause: Cause];

const BLOCK_MS = 100;
const THRESHOLD_MS = 40;

function causeAt(
  measured: BlockTimes,
  segments: readonly Segment[],
  durationMs = BLOCK_MS,
  looks?: ThreadLooks,
): Cause {
  return causeOf({ durationMs, thresholdMs: THRESHOLD_MS, times: measured, segments, looks }).cause;
}

const table: readonly Row[] = [
  // Starvation: without its run-queue time it would have been no block.
  ['without its run-queue time it is as long as the threshold', times(40, 60, 0), live, 'javascript'],
  ['without its run-queue time it is just shorter than the threshold', times(39.9, 60.1, 0), live, 'cpu_starved'],
  ['a native call is short without the run-queue time', times(10, 90, 0), late, 'cpu_starved'],
  ['the thread is starved and there are no samples', times(0, 100, undefined), [], 'cpu_starved'],
  ['a wait for a child process is short without the run-queue time', times(5, 70, 0), inCommand, 'cpu_starved'],
  ['a thread in Atomics.wait waits for a CPU whenever it is asked', times(5, 70, 0), asleep, 'waiting'],
  ['a thread in Atomics.wait mostly waits for a CPU when it is asked', times(15, 75, 0), asleep, 'waiting'],
  [
    'a starved thread is asked in a short Atomics.wait after other code',
    times(25, 65, 0),
    asleep.map((s) => ({ ...s, asleepMs: 10 })),
    'cpu_starved',
  ],
  // Waiting: for half of the time outside of the run queue, the thread is not on the CPU.
  ['the thread sleeps for half of it', times(50, 0, 0), live, 'waiting'],
  ['the thread sleeps for just less than half of it', times(50.1, 0, 0), live, 'javascript'],
  ['the thread sleeps and there are no samples', times(1, 0, undefined), [], 'waiting'],
  ['the thread sleeps for half of it, partly in collections', times(40, 0, 30), live, 'javascript'],
  ['the thread sleeps for half of it, not counting the collections', times(30, 0, 20), live, 'waiting'],
  ['the thread sleeps for half of it in a command, beside collections', times(40, 0, 30), inCommand, 'waiting'],
  ['the thread sleeps for half of what the run queue leaves', times(25, 50, 0), asleep, 'waiting'],
  ['the thread sleeps for less than half of what the run queue leaves', times(25.1, 50, 0), live, 'javascript'],
  ['the thread sleeps in short calls of Node on a busy host', times(20, 50, 0), inNode, 'waiting'],
  ['the thread sleeps and answers late on a busy host', times(20, 50, 0), late, 'waiting'],
  ['the thread seems to sleep for longer than it waits for a CPU', times(20, 39, 0), live, 'waiting'],
  ['a third each is on the CPU, in the run queue and asleep', times(34, 33, 0), live, 'javascript'],
  // Where the system does not report run-queue time, only the stack distinguishes sleep from starvation.
  ['the thread is off the CPU in Atomics.wait', times(2), asleep, 'waiting'],
  ['the thread is off the CPU in application code', times(2), live, 'unknown'],
  [
    'the thread is off the CPU and most samples show application code',
    times(2),
    [segment([app], 60), ...asleep.map((s) => ({ ...s, ms: 40, asleepMs: 40 }))],
    'unknown',
  ],
  [
    'the thread is off the CPU and waits for a child process',
    times(2),
    [segment([nodeFrame('spawnSync'), nodeFrame('execSync'), app], 100)],
    'waiting',
  ],
  ['the thread is on the CPU in Atomics.wait', times(100), asleep, 'javascript'],
  // Garbage collection.
  ['half of it is garbage collection', times(100, 0, 50), live, 'gc'],
  ['just less than half of it is garbage collection', times(100, 0, 49.9), live, 'javascript'],
  ['half of it is garbage collection and half is in the run queue', times(50, 50, 50), live, 'gc'],
  ['half of it is garbage collection, in which the thread waits for helper threads', times(40, 0, 50), live, 'gc'],
  ['most of it is garbage collection and the answer is late', times(100, 0, 80), late, 'gc'],
  ['most of it is garbage collection and the CPU time is unknown', times(undefined, undefined, 80), live, 'gc'],
  ['most of it is garbage collection and there are no samples', times(100, 0, 80), [], 'gc'],
  ['garbage collection is short without the run-queue time', times(30, 70, 90), live, 'cpu_starved'],
  // The samples decide between native and JavaScript, however long the thread waits for a CPU.
  ['application code runs for less than half of it', times(45, 55, 0), live, 'javascript'],
  ['a native call runs for less than half of it', times(45, 55, 0), late, 'native'],
  ['the answers are late', times(100, 0, 0), late, 'native'],
  [
    'a JSON function is on top of the stack',
    times(100, 0, 0),
    [segment([builtinFrame('JSON.stringify'), app], 100)],
    'native',
  ],
  [
    'a RegExp function is on top of the stack',
    times(100, 0, 0),
    [segment([builtinFrame('RegExp.exec'), app], 100)],
    'native',
  ],
  ['application code runs', times(100, 0, 0), live, 'javascript'],
  ['half of it is native', times(100, 0, 0), [segment([app], 50), segment([app], 50, { isLate: true })], 'native'],
  [
    'just less than half of it is native',
    times(100, 0, 0),
    [segment([app], 51), segment([app], 49, { isLate: true })],
    'javascript',
  ],
  [
    'an application function is named JSON.parse',
    times(100, 0, 0),
    [segment([frame('JSON.parse'), app], 100)],
    'javascript',
  ],
  ['no times are known and application code runs', times(), live, 'javascript'],
  ['no times are known and the answers are late', times(), late, 'native'],
  ['no times are known and the thread is in Atomics.wait', times(), asleep, 'waiting'],
  [
    'no times are known and the late answer shows a wait for a child process',
    times(),
    [segment([nodeFrame('spawnSync'), nodeFrame('execSync'), app], 100, { isLate: true })],
    'waiting',
  ],
  // Nothing is known.
  ['no times are known and there are no samples', times(), [], 'unknown'],
  ['the thread is off the CPU, without samples and run-queue time', times(2), [], 'unknown'],
  ['the thread is on the CPU and there are no samples', times(100, 0, 0), [], 'unknown'],
  ['the thread is on the CPU and the samples have no weight', times(100, 0, 0), [segment([app], 0)], 'unknown'],
];

const cases = table.map(([what, measured, samples, cause]) => ({ what, measured, samples, cause }));
describe('the cause of a block of 100 ms, with a threshold of 40 ms,', () => {
  test.each(cases)('is $cause: $what', ({ measured, samples, cause }) => {
    expect(causeAt(measured, samples)).toBe(cause);
  });

  test('is native after a native call, also when the function that follows it is on the stack', () => {
    const after = [segment([entryFrame('next'), app], 100, { isLate: true })];
    expect(causeAt(times(100, 0, 0), after)).toBe('native');
  });

  test('is what the samples show, whatever the waits for a CPU beside them', () => {
    const afterWait = segment([app], 40, { isLate: true, ranMs: 5 });
    expect(causeAt(times(60, 40, 0), [afterWait, segment([app], 20)])).toBe('javascript');
  });

  test('is javascript where its only late answer came from a thread that hardly was on a CPU until then', () => {
    const heldUp = segment([entryFrame('next'), app], 90, { isLate: true, computedMs: 2 });
    expect(causeAt(times(60, 0, 0), [heldUp, segment([app], 10)])).toBe('javascript');
  });

  describe('in short calls of a module of Node', () => {
    const inModule = (fileName: string, name = 'handle'): Segment =>
      segment([builtinFrame('Array.push'), nodeFrame(name, { fileName }), app], 100);
    const afterCall = (fileName: string): Segment => {
      const next = { ...entryFrame('slice'), fileName: 'node:buffer' };
      return segment([next, nodeFrame('handle', { fileName }), app], 100);
    };

    test('that wraps native code, is native, however soon the answers come', () => {
      for (const fileName of ['node:zlib', 'node:internal/crypto/sig']) {
        expect(causeAt(times(100, 0, 0), [inModule(fileName)])).toBe('native');
        expect(causeAt(times(100, 0, 0), [afterCall(fileName)])).toBe('native');
      }
    });

    test('that it makes by a function of buffers, is native; the same of a function of the application is javascript', () => {
      const copies = nodeFrame('concat', { fileName: 'node:buffer' });
      const allocates = [{ ...entryFrame('FastBuffer'), fileName: 'node:internal/buffer' }, copies];
      const ofModule = nodeFrame('processChunkSync', { fileName: 'node:zlib' });
      for (const frames of [[copies], allocates]) {
        expect(causeAt(times(100, 0, 0), [segment([...frames, ofModule, app], 100)])).toBe('native');
        expect(causeAt(times(100, 0, 0), [segment([...frames, app], 100)])).toBe('javascript');
      }
    });

    test('of which only the synchronous functions wrap native code, is native in these', () => {
      const inFunction = (name: string): Segment => inModule('node:internal/crypto/random', name);
      expect(causeAt(times(100, 0, 0), [inFunction('checkPrimeSync')])).toBe('native');
      expect(causeAt(times(100, 0, 0), [inFunction('randomUUID')])).toBe('javascript');
    });

    test('that is written in JavaScript, is javascript', () => {
      for (const fileName of ['node:internal/util/inspect', 'node:internal/crypto/random']) {
        expect(causeAt(times(100, 0, 0), [inModule(fileName)])).toBe('javascript');
        expect(causeAt(times(100, 0, 0), [afterCall(fileName)])).toBe('javascript');
      }
    });

    test('that is about to begin, is what the application did until then', () => {
      const begins = { ...entryFrame('sign'), fileName: 'node:internal/crypto/sig' };
      expect(causeAt(times(100, 0, 0), [segment([begins, app], 100)])).toBe('javascript');
    });

    test('that calls back the application, is what that does', () => {
      const frames = [app, nodeFrame('emit', { fileName: 'node:zlib' }), frame('main')];
      expect(causeAt(times(100, 0, 0), [segment(frames, 100)])).toBe('javascript');
    });
  });

  describe('whose CPU time is in the kernel', () => {
    const looks = (systemShare: number | undefined): ThreadLooks => ({
      runnable: 5,
      asleep: 0,
      inLock: 0,
      systemShare,
    });
    const statSync = frame('statSync', { fileName: 'node:fs', functionLineNumber: 1700, lineNumber: 1701 });
    const inFiles = [segment([app], 90), segment([statSync, app], 10)];

    test('for at least half, is native where the answers show the file system, however soon they come', () => {
      expect(causeAt(times(100, 0, 0), inFiles, BLOCK_MS, looks(0.5))).toBe('native');
      expect(causeAt(times(100, 0, 0), inFiles, BLOCK_MS, looks(0.49))).toBe('javascript');
      expect(causeAt(times(100, 0, 0), inFiles, BLOCK_MS, looks(undefined))).toBe('javascript');
      expect(causeAt(times(100, 0, 60), inFiles, BLOCK_MS, looks(1))).toBe('gc');
      const readSync = nodeFrame('Dir.readSync', { fileName: 'node:internal/fs/dir' });
      expect(causeAt(times(100, 0, 0), [segment([readSync, app], 100)], BLOCK_MS, looks(0.5))).toBe('native');
    });

    test('is javascript where they do not, such as in a loop that looks at a clock', () => {
      expect(causeAt(times(100, 0, 0), live, BLOCK_MS, looks(1))).toBe('javascript');
    });
  });

  test.each([
    ...['RegExp.test', 'RegExp.exec', 'RegExp.[Symbol.replace]', 'RegExpStringIterator.next'],
    ...['Route.exec', 'Route.test'], // of a class of the application that extends `RegExp`
    ...['String.match', 'String.matchAll', 'String.replace', 'String.replaceAll', 'String.search', 'String.split'],
    ...['JSON.parse', 'JSON.stringify'],
  ])('is native in %s, which V8 interrupts', (name) => {
    expect(causeAt(times(100, 0, 0), [segment([builtinFrame(name), app], 100)])).toBe('native');
  });

  test.each([
    ['structuredClone', 'node:internal/worker/js_transferable'],
    ['deserialize', 'node:v8'],
  ])('is native where %s fills a map, and nowhere else', (name, fileName) => {
    const causeIn = (caller: Frame): Cause =>
      causeAt(times(100, 0, 0), [segment([builtinFrame('Map.set'), caller, app], 100)]);
    expect(causeIn(nodeFrame(name, { fileName }))).toBe('native');
    expect(causeIn(frame(name))).toBe('javascript');
    expect(causeIn(nodeFrame('importKey', { fileName }))).toBe('javascript');
  });

  test.each(['Array.push', 'String.slice', 'String.trim'])('is javascript at %s, where V8 only looks', (name) => {
    expect(causeAt(times(100, 0, 0), [segment([builtinFrame(name), app], 100)])).toBe('javascript');
  });

  test('is unknown when an application function is named execSync', () => {
    expect(causeAt(times(2), [segment([frame('execSync'), app], 100)])).toBe('unknown');
  });

  test('of a loop of 3.9 s is javascript, whatever its length on a busy host and in a quota', () => {
    for (const stretch of [1, 1.2, 2, 2.7, 5, 20]) {
      const durationMs = 3900 * stretch;
      const measured = times(3900, durationMs - 3900, 0);
      expect(causeAt(measured, [segment([app], durationMs)], durationMs)).toBe('javascript');
    }
  });

  test.each([
    ['is native where the kernel shows a thread that seems to sleep as ready to run', 9, 1, late, 'native'],
    ['is javascript where the kernel shows it as ready to run in application code', 6, 4, live, 'javascript'],
    ['is waiting where the kernel shows it as asleep', 1, 9, late, 'waiting'],
    ['is waiting where the kernel shows it as asleep as often as ready to run', 5, 5, live, 'waiting'],
    ['is waiting where the kernel was asked too rarely', 2, 0, late, 'waiting'],
  ] as const)('%s', (_, runnable, asleepLooks, samples, cause) => {
    expect(causeAt(times(45, 5, 0), samples, BLOCK_MS, { runnable, asleep: asleepLooks, inLock: 0 })).toBe(cause);
  });

  test('is waiting where it sleeps in Atomics.wait, and each question makes it ready to run', () => {
    const asleep = [segment([builtinFrame('Atomics.wait'), app], BLOCK_MS)];
    expect(causeAt(times(20, 5, 0), asleep, BLOCK_MS, { runnable: 9, asleep: 1, inLock: 0 })).toBe('waiting');
  });

  test('is unknown where the kernel shows it as ready to run, and it ran for less than the threshold', () => {
    expect(causeAt(times(39.9, 5, 0), late, BLOCK_MS, { runnable: 9, asleep: 1, inLock: 0 })).toBe('unknown');
    expect(causeAt(times(39.9, 5, 0), [], BLOCK_MS, { runnable: 9, asleep: 1, inLock: 0 })).toBe('unknown');
  });

  test('is javascript where the kernel shows it as ready to run, and it computes for the threshold', () => {
    const looks = { runnable: 9, asleep: 1, inLock: 0 };
    expect(causeAt(times(40, 160, 0), [segment([app], 300)], 300, looks)).toBe('javascript');
  });

  test('is cpu_starved where only the wrapper of Atomics.wait is seen, which does not sleep', () => {
    const wrapper = frame('Atomics.wait', { fileName: 'loopwatch:deferred' });
    expect(causeAt(times(5, 90, 0), [segment([builtinFrame('Array.push'), wrapper, app], 100)])).toBe('cpu_starved');
    expect(causeAt(times(5, 90, 0), [segment([builtinFrame('Atomics.wait'), wrapper, app], 100)])).toBe('waiting');
  });

  test('of a provisional block that is still shorter than the threshold is what the code does', () => {
    expect(causeAt(times(30, 9, 0), live, 39)).toBe('javascript');
  });
});

describe('a cause of which the answers show little', () => {
  const last = [segment([app], 9)];

  test('is unknown where they show less than a tenth of the CPU time', () => {
    expect(causeAt(times(100, 0, 0), last)).toBe('unknown');
    expect(causeAt(times(89, 0, 0), last)).toBe('javascript');
    expect(causeAt(times(), last)).toBe('javascript');
  });

  test('is a share of what they show, where that is less than half of it', () => {
    const because = (ms: number): string =>
      causeOf({ durationMs: 100, thresholdMs: THRESHOLD_MS, times: times(100, 0, 0), segments: [segment([app], ms)] })
        .because;
    expect(because(49)).toBe('javascript 100 % of 49 ms');
    expect(because(50)).toBe('javascript 100 % of 100 ms');
    expect(because(9)).toBe('asked for 9 % of 100 ms');
  });
});

describe('the reason of a cause', () => {
  const because = (measured: BlockTimes, segments: readonly Segment[], durationMs = BLOCK_MS, looks?: ThreadLooks) =>
    causeOf({ durationMs, thresholdMs: THRESHOLD_MS, times: measured, segments, looks });

  test.each([
    ['waited for a CPU 61 % of 100 ms', 'cpu_starved', times(39, 61, 0), live],
    ['collections 62 % of 100 ms', 'gc', times(100, 0, 62), live],
    ['asleep 90 % of 100 ms', 'waiting', times(10, 0, 0), asleep],
    ['native 100 % of 100 ms', 'native', times(100, 0, 0), late],
    ['native 62 % of 100 ms', 'native', times(100, 0, 0), [segment([app], 38), segment([app], 62, { isLate: true })]],
    ['javascript 100 % of 100 ms', 'javascript', times(100, 0, 0), live],
    ['no answer', 'unknown', times(100, 0, 0), []],
  ])('is the share that decided: %s', (reason, cause, measured, segments) => {
    expect(because(measured, segments)).toMatchObject({ cause, because: reason });
  });

  test('is of the time without its sleep, where that was the smaller part', () => {
    const slept = segment([builtinFrame('Atomics.wait'), app], 40, { computedMs: 0 });
    const segments = [slept, segment([app], 60)];
    expect(because(times(60, 0, 0), segments)).toEqual({
      cause: 'javascript',
      because: 'javascript 100 % of 60 ms',
    });
  });

  test('is the sleep, which nothing proves, of a starved thread that nothing was asked', () => {
    expect(because(times(20, 200, 0), [], 300)).toEqual({ cause: 'unknown', because: 'asleep 80 % of 100 ms' });
  });
});
