import type { RootTimers } from '../../../src/detection/root-timers.js';

interface FakeTimer {
  readonly kind: 'immediate' | 'interval' | 'timeout';
  readonly callback: () => void;
  readonly ms: number;
}

/** Timers that fire when the test calls for it. */
export class FakeTimers {
  readonly armed = new Set<FakeTimer>();
  /** How often an iteration of the loop was requested. */
  iterationsRequested = 0;

  /** Stands in for the timers of Node. */
  readonly asRootTimers = {
    setImmediate: (callback: () => void) => this.#arm('immediate', callback, 0),
    rearmImmediate: (callback: () => void) => this.#arm('immediate', callback, 0),
    iterateOnce: () => {
      this.iterationsRequested++;
    },
    setInterval: (callback: () => void, ms: number) => this.#arm('interval', callback, ms),
    setTimeout: (callback: () => void, ms: number) => this.#arm('timeout', callback, ms),
    clearImmediate: (timer: FakeTimer) => this.armed.delete(timer),
    clearInterval: (timer: FakeTimer) => this.armed.delete(timer),
    clearTimeout: (timer: FakeTimer) => this.armed.delete(timer),
  } as unknown as RootTimers;

  /** The armed intervals, in ms. */
  get intervals(): number[] {
    return [...this.armed].filter(({ kind }) => kind === 'interval').map(({ ms }) => ms);
  }

  get immediates(): number {
    return [...this.armed].filter(({ kind }) => kind === 'immediate').length;
  }

  /** The check phase: runs the immediates that are armed now, not those that they arm. */
  runImmediates(): void {
    for (const timer of [...this.armed].filter(({ kind }) => kind === 'immediate')) {
      this.armed.delete(timer);
      timer.callback();
    }
  }

  /** Runs all intervals as if they were due. */
  runIntervals(): void {
    for (const { kind, callback } of [...this.armed]) if (kind === 'interval') callback();
  }

  #arm(kind: FakeTimer['kind'], callback: () => void, ms: number): FakeTimer {
    const timer = { kind, callback, ms };
    this.armed.add(timer);
    return timer;
  }
}
