import { sharedNow } from '../contract/clock.js';
import { Sleep, SlotInt, SlotTime } from '../contract/registry-layout.js';
import type { Slot } from '../contract/slots.js';
import type { LoopMonitor } from '../detection/loop-monitor.js';
import type { SampleBuffer } from '../probe/sample-buffer.js';
import { stackCapture } from '../probe/stack-capture.js';
import type { Judging } from './judging.js';
import { observeSleeps } from './worker-sleeps.js';

export interface PoolSleepsOptions {
  readonly now: () => number;
  readonly slot: Slot | undefined;
  readonly loop: Pick<LoopMonitor, 'sleep' | 'endPeriodAt' | 'wake'>;
  readonly judging: () => Pick<Judging, 'exclude' | 'addSleep' | 'judgeNow'>;
  readonly samples: Pick<SampleBuffer, 'since'>;
  /** Called with a sleep that may be a block. */
  readonly onBusyPeriod: (start: number, end: number) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * What a worker thread does around its sleeps in `Atomics.wait`: a pool worker sleeps between its tasks and never leaves
 * the iteration of its loop, so the sleeps bound its busy periods.
 */
export class PoolSleeps {
  readonly #options: PoolSleepsOptions;
  readonly #captureStack = stackCapture();
  readonly #sleeps: ReturnType<typeof observeSleeps>;

  constructor(options: PoolSleepsOptions) {
    this.#options = options;
    this.#sleeps = observeSleeps({
      now: options.now,
      captureStack: this.#captureStack,
      observer: {
        onSleep: () => {
          this.#onSleep();
        },
        onWake: (start) => {
          this.#onWake(start, options.now());
        },
        onError: options.onError,
      },
    });
  }

  /** Arranges that the wrapper of `Atomics.wait` will call `mark` once. */
  markWrapper(mark: () => void): void {
    this.#sleeps.markWrapper(mark);
  }

  /**
   * `loopwatch attach` evaluates this code in a thread that sleeps already: no wrapper has seen that sleep begin, and none
   * sees its end. Ends the start-up, as any sleep does, and has `takeSample` show that the thread sleeps.
   */
  beginAsleep(takeSample: () => void): void {
    const { slot, loop } = this.#options;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- passed by identity, never called
    const stack = this.#captureStack(this.beginAsleep);
    if (!stack.some(({ functionName }) => functionName === 'Atomics.wait')) return;
    loop.sleep();
    slot?.setTime(SlotTime.requestedAt, sharedNow());
    takeSample();
  }

  /** Removes the wrapper of `Atomics.wait`. */
  remove(): void {
    this.#sleeps.remove();
  }

  #onSleep(): void {
    const { slot, loop, judging } = this.#options;
    slot?.setInt(SlotInt.sleep, Sleep.reporting);
    try {
      loop.sleep();
      judging().judgeNow();
    } finally {
      slot?.setInt(SlotInt.sleep, Sleep.asleep);
    }
  }

  /** A sleep with work pending may be a block; any other sleep is idle time. */
  #onWake(start: number, end: number): void {
    const { slot, loop, judging, samples, onBusyPeriod } = this.#options;
    slot?.setInt(SlotInt.sleep, Sleep.none);
    const isStuck = samples.since(start).some(({ pending }) => pending !== undefined && pending.length > 0);
    judging().addSleep({ start, end });
    loop.endPeriodAt(start);
    if (isStuck) onBusyPeriod(start, end);
    else judging().exclude({ start, end });
    loop.wake();
    judging().judgeNow();
  }
}
