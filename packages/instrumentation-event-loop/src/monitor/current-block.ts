import { executionAsyncId } from 'node:async_hooks';
import type { BusyPeriod, RecordedPeriod } from '../blocks/busy-period.js';
import { contextSpells, mainContext, type InfoOf } from '../blocks/contexts.js';
import { provisionalBlock, type JudgeContext } from '../blocks/judge.js';
import { segmentsOf } from '../blocks/segments.js';
import { splitAt } from '../blocks/split-at.js';
import type { ContextReader } from '../contract/context-reader.js';
import type { Interval } from '../contract/interval.js';
import type { Block, BlockSoFar, ContextSpell } from '../contract/model.js';
import type { TrackedSpan } from '../export/tracked-span.js';
import { SpanEndings } from './span-endings.js';

/** A block that has got an identity while it lasts. */
interface CertainBlock {
  readonly id: object;
  readonly start: number;
  /** When it got the identity: until then, this was its request. */
  readonly at: number;
  readonly request: unknown;
}

/** Starts within this distance, ms, belong to the same period: a start is computed from clocks read one by one. */
const SAME_START_MS = 2;
/** Share of the known time in one request from which on a block is certain to be of that request. */
const CERTAIN_SHARE = 0.9;
/** While a block lasts, its contexts are computed again at this interval, ms, or share of its age, as samples are. */
const SO_FAR_INTERVAL_MS = 10;
const SO_FAR_GROWTH = 0.05;

export interface CurrentBlockOptions {
  readonly isWorker: boolean;
  readonly contexts: ContextReader;
  /** The busy period that has not ended yet. */
  readonly currentPeriod: () => RecordedPeriod;
  readonly judgeContext: () => JudgeContext;
}

/** What is known of a block while it lasts: the spans that end in it, and its identity, which these spans get a link to. */
export class CurrentBlock {
  readonly #options: CurrentBlockOptions;
  readonly #endings = new SpanEndings();
  #soFar: { readonly at: number; readonly block: BlockSoFar } | undefined;
  #certain: CertainBlock | undefined;

  constructor(options: CurrentBlockOptions) {
    this.#options = options;
  }

  /** Records a span that ends now, in the busy period that began at `start`. */
  addEnding(trackedSpan: TrackedSpan, { start, end }: Interval): void {
    const context = this.#options.contexts.active(true);
    this.#endings.add({ at: end, context, asyncId: executionAsyncId(), trackedSpan }, start);
  }

  /** The period that lasts, with the endings in it so far and a new identity. */
  provisional(period: RecordedPeriod): BusyPeriod {
    return { ...period, id: {}, endings: this.#endings.within(period.start, period.end) };
  }

  /** A period that has ended, with the identity that it has got meanwhile, and its parts where two requests share it. */
  end(period: RecordedPeriod): { readonly whole: BusyPeriod; readonly parts: readonly BusyPeriod[] } {
    const { start, end } = period;
    const endings = this.#endings.take(start, end);
    const isSame = (other: { readonly start: number } | undefined): boolean =>
      other !== undefined && Math.abs(other.start - start) < SAME_START_MS;
    const certain = isSame(this.#certain) ? this.#certain : undefined;
    const soFar = isSame(this.#soFar?.block) ? this.#soFar?.block : undefined;
    this.#certain = undefined;
    this.#soFar = undefined;
    const whole = { ...period, id: certain?.id ?? soFar?.id ?? {}, endings };
    return { whole, parts: certain && !this.#isOf(whole, certain.request) ? splitAt(whole, certain.at) : [whole] };
  }

  /** Drops what was recorded in busy periods that ended before `periodStart` and were no blocks. */
  dropBefore(periodStart: number): void {
    this.#endings.dropBefore(periodStart);
    if (this.#certain && this.#certain.start < periodStart - SAME_START_MS) this.#certain = undefined;
  }

  /** What is known of the block that the current period may become. Computed again as the period grows. */
  soFar({ start, end }: Interval): BlockSoFar {
    const known = this.#soFar;
    const intervalMs = Math.max(SO_FAR_INTERVAL_MS, (end - start) * SO_FAR_GROWTH);
    if (known?.block.start === start && end - known.at < intervalMs) return known.block;
    const { currentPeriod, judgeContext, isWorker } = this.#options;
    const id = known?.block.start === start ? known.block.id : {};
    const period = { ...currentPeriod(), start, id, endings: this.#endings.within(start, end) };
    const context = judgeContext();
    const contexts = contextsOf(period, context);
    // A worker's period may be split at its sleeps, when it has ended.
    const request = isWorker ? undefined : certainRequest(contexts, context.infoOf);
    const isCertain =
      request !== undefined && (this.#certain?.start !== start || this.#certain.request === request.key);
    const certain = (): Block => {
      if (this.#certain?.start !== start) this.#certain = { id, start, at: end, request: request?.key };
      return provisionalBlock(period, context);
    };
    const { endings } = period;
    const block = { id, start, contexts, endings, errorMs: intervalMs, certain: isCertain ? certain : undefined };
    this.#soFar = { at: end, block };
    return block;
  }

  /** Whether most of the period was spent in the request. */
  #isOf(period: BusyPeriod, request: unknown): boolean {
    const context = this.#options.judgeContext();
    return context.infoOf(mainContext(contextsOf(period, context), context.infoOf)).request === request;
  }
}

function contextsOf(period: BusyPeriod, { excluded, infoOf }: JudgeContext): ContextSpell[] {
  return contextSpells(segmentsOf(period.samples, period), period.endings, period, excluded, infoOf);
}

/** The request in which nearly all of the known time was spent; undefined where several share it. */
function certainRequest(contexts: readonly ContextSpell[], infoOf: InfoOf): { readonly key: unknown } | undefined {
  const key = infoOf(mainContext(contexts, infoOf)).request;
  let allMs = 0;
  let requestMs = 0;
  for (const { context, start, end } of contexts) {
    allMs += end - start;
    if (infoOf(context).request === key) requestMs += end - start;
  }
  return allMs > 0 && requestMs >= allMs * CERTAIN_SHARE ? { key } : undefined;
}
