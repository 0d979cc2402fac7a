// Stands for src/monitor/pending-blocks.ts in the recording build: says the same, and records what it was given.
import type { BusyPeriod } from '../../../src/blocks/busy-period.js';
import type { JudgeContext } from '../../../src/blocks/judge.js';
import { JUDGE_DELAY_MS, PendingBlocks as Original } from '../../../src/monitor/pending-blocks.js';
import type { Interval } from '../../../src/contract/interval.js';
import type { Block } from '../../../src/contract/model.js';
import { record } from './recording.js';
import { infosOf, type Captured } from './to-plain.js';

export { JUDGE_DELAY_MS };

/** A period with what follows from it alone, which the replay finds out again. */
interface Waiting {
  readonly period: BusyPeriod;
  readonly dueAt: number;
}

interface Excluded {
  readonly interval: Interval;
  /** The period from which the exclusion followed. */
  readonly by: BusyPeriod | undefined;
}

/** More are kept than the original keeps, which drops the oldest; those near a period are the same. */
const MAX_KEPT = 64;

export class PendingBlocks extends Original {
  readonly #isWorker: boolean;
  #waiting: Waiting[] = [];
  #adding: BusyPeriod | undefined;
  #isJudging = false;
  #excluded: Excluded[] = [];
  #sleeps: Interval[] = [];

  constructor(isWorker: boolean) {
    super(isWorker);
    this.#isWorker = isWorker;
  }

  override exclude(interval: Interval): void {
    super.exclude(interval);
    const others = this.#excluded.filter((other) => other.interval.start !== interval.start);
    const { start, end } = interval;
    const isWithin = ({ period }: Waiting): boolean => start >= period.start && end <= period.end;
    // A judgement excludes the breakpoints in its period.
    const by = this.#adding ?? (this.#isJudging ? this.#waiting.find(isWithin)?.period : undefined);
    this.#excluded = [...others.slice(1 - MAX_KEPT), { interval, by }];
  }

  override addSleep(sleep: Interval): void {
    super.addSleep(sleep);
    this.#sleeps = [...this.#sleeps.slice(1 - MAX_KEPT), sleep];
  }

  override add(period: BusyPeriod, now: number): void {
    this.#waiting.push({ period, dueAt: now + this.judgeDelay(period) });
    this.#adding = period;
    try {
      super.add(period, now);
    } finally {
      this.#adding = undefined;
    }
  }

  override judgeDue(now: number, context: JudgeContext): Block[] {
    this.#isJudging = true;
    const blocks = super.judgeDue(now, context);
    this.#isJudging = false;
    const due = this.#waiting.filter(({ dueAt }) => dueAt <= now + 1);
    for (const { period } of due) record(this.#capture(period, 'ended', context, blocks));
    this.#waiting = this.#waiting.filter((waiting) => !due.includes(waiting));
    return blocks;
  }

  override last(current: BusyPeriod, context: JudgeContext): Block[] {
    const pending = this.#waiting.map(({ period }) => period);
    const blocks = super.last(current, context);
    for (const period of [...pending, current]) record(this.#capture(period, 'last', context, blocks));
    this.#waiting = [];
    return blocks;
  }

  #capture(period: BusyPeriod, end: Captured['end'], context: JudgeContext, blocks: readonly Block[]): Captured {
    return {
      end,
      period,
      isWorker: this.#isWorker,
      // The observer goes on to add pauses to the same array.
      context: { ...context, gc: { ...context.gc, pauses: [...context.gc.pauses] } },
      excluded: this.#excluded.filter(({ by }) => by !== period).map(({ interval }) => interval),
      sleeps: this.#sleeps,
      said: blocks.filter((block) => block.start >= period.start && block.end <= period.end),
      infos: infosOf(period, context),
    };
  }
}
