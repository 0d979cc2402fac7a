import { diag, DiagLogLevel, type DiagLogger } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { isOverloaded, type OverloadLimits } from '../../src/is-overloaded.js';
import { PROTOCOL, shared } from '../../src/monitor/shared-thread.js';
import type { ThreadMonitor } from '../../src/monitor/thread-monitor.js';

const ask = jest.fn<(lagMs: number, utilization: number) => boolean>();

function monitorWith(members: object): void {
  shared.monitor = members as ThreadMonitor;
}

beforeEach(() => {
  ask.mockReset();
  monitorWith({ isOverloaded: ask });
});

afterEach(() => {
  shared.monitor = undefined;
});

test.each([true, false])('the monitor of this thread says whether the loop is overloaded: %j', (answer) => {
  ask.mockReturnValue(answer);
  expect(isOverloaded()).toBe(answer);
});

test.each<[OverloadLimits | undefined, number, number]>([
  [undefined, 200, 0.98],
  [{}, 200, 0.98],
  [{ lagMs: 50 }, 50, 0.98],
  [{ lagMs: 0, utilization: 0 }, 0, 0],
  [{ lagMs: Infinity, utilization: 0.9 }, Infinity, 0.9],
])('the limits of %j are %d ms and a share of %d', (limits, lagMs, utilization) => {
  isOverloaded(limits);
  expect(ask.mock.calls).toEqual([[lagMs, utilization]]);
});

describe('it is not overloaded', () => {
  test('where nothing monitors this thread', () => {
    shared.monitor = undefined;
    expect(isOverloaded({ lagMs: 0, utilization: 0 })).toBe(false);
  });

  test('where another version of this package monitors it, which cannot say', () => {
    ask.mockReturnValue(true);
    Reflect.set(shared, 'protocol', PROTOCOL - 1);
    expect(isOverloaded({ lagMs: 0 })).toBe(false);
    Reflect.set(shared, 'protocol', PROTOCOL);
    expect(isOverloaded({ lagMs: 0 })).toBe(true);
  });

  test('where the monitor throws', () => {
    ask.mockImplementation(() => {
      throw new Error('patched');
    });
    expect(isOverloaded()).toBe(false);
  });
});

describe('wrong limits', () => {
  test('are reported once, and the defaults apply', () => {
    const warn = jest.fn();
    diag.setLogger({ warn } as unknown as DiagLogger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    for (const limits of [{ lagMs: '50' }, { lagMs: -1 }, { utilization: NaN }, { utilization: null }, 5, 'x', null])
      isOverloaded(limits as OverloadLimits);
    expect(new Set(ask.mock.calls.map(String))).toEqual(new Set(['200,0.98']));
    expect(warn.mock.calls).toEqual([[expect.stringContaining('Expected lagMs and utilization of isOverloaded')]]);
    diag.disable();
  });

  test('of any kind never throw, and the limits are numbers from 0 on', () => {
    fc.assert(
      fc.property(fc.anything(), (limits) => {
        expect(isOverloaded(limits as OverloadLimits)).toBe(false);
        for (const limit of ask.mock.calls.flat()) expect(limit).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test.each(['lagMs', 'utilization'])('with a getter of %s that throws are no load', (name) => {
    const limits = Object.defineProperty({}, name, {
      get: () => {
        throw new Error('no');
      },
    });
    expect(isOverloaded(limits)).toBe(false);
  });
});
