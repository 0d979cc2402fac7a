import type { RecordedPeriod } from '../blocks/busy-period.js';
import { fromShared } from '../contract/clock.js';
import type { StartUp } from '../contract/model.js';
import { SlotTime } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';
import { looksWithin } from '../contract/thread-looks.js';
import type { LoopMonitor } from '../detection/loop-monitor.js';
import { withCutCallers } from '../probe/cut-stacks.js';
import type { SampleBuffer } from '../probe/sample-buffer.js';
import { withoutLostIdle } from './lost-idle.js';

export interface PeriodRecorderOptions {
  readonly registry: Registry;
  readonly slot: Slot | undefined;
  readonly samples: Pick<SampleBuffer, 'take' | 'since'>;
  readonly loop: Pick<LoopMonitor, 'mayHaveLostIdle' | 'readingsAround' | 'currentPeriod'>;
}

/** Joins a busy period of this thread with its samples, its CPU times, and what the watchdog has seen of it. */
export class PeriodRecorder {
  readonly #options: PeriodRecorderOptions;

  constructor(options: PeriodRecorderOptions) {
    this.#options = options;
  }

  /** A period that has ended. Its samples are taken out of the buffer. */
  ended(start: number, end: number, startUp: StartUp): RecordedPeriod {
    const { registry, slot, samples, loop } = this.#options;
    const hang = slot && registry.takeHangId(slot);
    const { mayHaveLostIdle } = loop;
    const period = {
      startUp,
      mayHaveLostIdle,
      hang,
      samples: withCutCallers(samples.take(start, end)),
      ...this.#around(start, end),
    };
    return withoutLostIdle(period, fromShared(slot?.getTime(SlotTime.polledAt) ?? 0));
  }

  /** The period that has not ended yet. */
  current(): RecordedPeriod {
    const { samples, loop } = this.#options;
    const { start, end } = loop.currentPeriod();
    return {
      startUp: 'over',
      mayHaveLostIdle: false,
      hang: undefined,
      samples: withCutCallers(samples.since(start)),
      ...this.#around(start, end),
    };
  }

  #around(start: number, end: number): Pick<RecordedPeriod, 'start' | 'end' | 'looks' | 'before' | 'after'> {
    const { slot, loop } = this.#options;
    return { start, end, looks: looksWithin({ start, end }, slot), ...loop.readingsAround(start, end) };
  }
}
