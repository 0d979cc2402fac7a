// Stands for src/monitor/current-block.ts in the recording build.
import type { BusyPeriod, RecordedPeriod } from '../../../src/blocks/busy-period.js';
import { CurrentBlock as Original } from '../../../src/monitor/current-block.js';

export type { CurrentBlockOptions } from '../../../src/monitor/current-block.js';

/** Of each part of a period that the early path has split: the whole, and where. */
export const wholes = new WeakMap<BusyPeriod, { readonly whole: BusyPeriod; readonly splitAt: number }>();

export class CurrentBlock extends Original {
  override end(period: RecordedPeriod): { readonly whole: BusyPeriod; readonly parts: readonly BusyPeriod[] } {
    const ended = super.end(period);
    const [first, ...others] = ended.parts;
    if (first !== undefined && others.length > 0) {
      for (const part of ended.parts) wholes.set(part, { whole: ended.whole, splitAt: first.end });
    }
    return ended;
  }
}
