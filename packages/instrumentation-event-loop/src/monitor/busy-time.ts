import type { BusyAnswer, BusyWindow } from '../contract/busy-time-data.js';
import { overlapMs, type Interval } from '../contract/interval.js';
import type { Frame } from '../contract/model.js';
import type { MeasuredCollections } from '../probe/gc-meter.js';
import { countAnswers } from './busy-counts.js';
import type { OwnWork } from './own-work.js';

/** A window is closed once a second at most, ms. */
const WINDOW_MS = 1000;
/** One with less busy time, ms, and without answers goes on: an idle loop has nothing to report. */
const MIN_BUSY_MS = 10;
/** How long a closed window waits, ms: by then, suspensions and breakpoints are known. */
const SETTLE_MS = 100;
const MAX_ANSWERS = 2048;
const MAX_PERIODS = 256;

export interface BusyTimeOptions {
  readonly now: () => number;
  /** For how long the loop has been busy since some moment, ms. */
  readonly busyMs: () => number;
  /** For how long the thread has waited for a CPU since some moment, ms; undefined where the system does not show it. */
  readonly runQueueMs: () => number | undefined;
  readonly measuredGc: () => MeasuredCollections;
  /** What this package has worked in the thread, without its heartbeats. */
  readonly ownWork: OwnWork;
  /** When the start-up of the thread ended, and what `busyMs` was then; undefined while it lasts. */
  readonly startUpEnd: () => BusyMoment | undefined;
  /** Suspensions, breakpoints and what else is no work of the application. */
  readonly excluded: () => readonly Interval[];
  readonly mapStack: (stack: readonly Frame[]) => readonly Frame[];
  readonly threadId: number;
  readonly threadName: string;
  readonly onWindow: (window: BusyWindow) => void;
}

export interface BusyMoment {
  readonly at: number;
  readonly busyMs: number;
}

interface ClosedWindow extends Interval {
  readonly busyMs: number;
  readonly runQueueMs: number | undefined;
  /** Share of the busy time in collections. */
  readonly gcShare: number | undefined;
  readonly ownWorkMs: number;
  readonly answers: readonly BusyAnswer[];
  readonly periods: readonly Interval[];
  /** What is known of the busy period that lasted when the window was closed. */
  readonly lastPeriod: Interval;
}

/** The time of this thread's loop: for how long it was busy in each second, and what it did at random moments. */
export class BusyTime {
  readonly #options: BusyTimeOptions;
  #opened: BusyMoment | undefined;
  /** `runQueueMs` when the window was opened. */
  #openedRunQueueMs: number | undefined;
  /** `measuredGc` when the window was opened. */
  #openedGc: MeasuredCollections = { busyMs: 0, gcMs: 0 };
  /** `ownWork.totalMs` when the window was opened. */
  #openedOwnWorkMs = 0;
  #answers: BusyAnswer[] = [];
  /** Busy periods of the threshold or longer that have ended. */
  #periods: Interval[] = [];
  #closed: ClosedWindow | undefined;
  #lostMs = 0;

  constructor(options: BusyTimeOptions) {
    this.#options = options;
  }

  /** Called in interrupted code. */
  add(answer: BusyAnswer): void {
    this.#answers[this.#answers.length] = answer;
    if (this.#answers.length > MAX_ANSWERS) this.#answers = everySecond(this.#answers);
  }

  /** Records a busy period that may be a block. */
  addPeriod(start: number, end: number): void {
    this.#periods = [...this.#periods.slice(1 - MAX_PERIODS), { start, end }];
  }

  /** The loop was idle for that time, ms, although its clock says otherwise. */
  lose(idleMs: number): void {
    this.#lostMs += idleMs;
  }

  /** Called with every heartbeat: all busy periods that ended before `periodStart` have been added. */
  beat(periodStart: number): void {
    const { now, startUpEnd } = this.#options;
    const opened = this.#opened ?? startUpEnd();
    if (!opened) {
      this.#answers = [];
      return;
    }
    if (!this.#opened) {
      // Those of start-up, which may have ended since the last beat.
      this.#answers = this.#answers.filter(({ requestedAt }) => requestedAt >= opened.at);
      this.#openedRunQueueMs = this.#options.runQueueMs();
      this.#openedGc = this.#options.measuredGc();
      this.#openedOwnWorkMs = this.#options.ownWork.totalMs;
    }
    this.#opened = opened;
    const at = now();
    const isSettled = this.#closed !== undefined && at - this.#closed.end >= SETTLE_MS;
    const isOver = at - opened.at >= WINDOW_MS;
    if (!isSettled && !isOver) return;
    // Some milliseconds once a second, and ten times as long on a starved host: no block has them in it.
    this.#options.ownWork.during(() => {
      if (this.#closed && isSettled) this.#report(this.#closed);
      if (isOver) this.#close(opened, at, periodStart);
    });
  }

  /** Reports now what is known. */
  flush(): void {
    const { now } = this.#options;
    if (this.#closed) this.#report(this.#closed);
    if (!this.#opened) return;
    const at = now();
    this.#close(this.#opened, at, at);
    if (this.#closed) this.#report(this.#closed);
  }

  #close(opened: BusyMoment, at: number, periodStart: number): void {
    const busyMs = this.#options.busyMs();
    const lostMs = Math.min(this.#lostMs, Math.max(0, busyMs - opened.busyMs));
    const windowBusyMs = Math.max(0, busyMs - opened.busyMs - lostMs);
    // Whether the iteration that lasts is a block is not known yet.
    const answers = this.#answers.filter(({ takenAt }) => takenAt < periodStart);
    if (answers.length === 0 && windowBusyMs < MIN_BUSY_MS) return;
    if (this.#closed) this.#report(this.#closed);
    const runQueueMs = this.#options.runQueueMs();
    const gc = this.#options.measuredGc();
    const ownWorkMs = this.#options.ownWork.totalMs;
    // An idle thread waits too, for a moment, when it is woken.
    const waitedMs = Math.min(windowBusyMs, (runQueueMs ?? NaN) - (this.#openedRunQueueMs ?? NaN));
    this.#closed = {
      start: opened.at,
      end: at,
      busyMs: windowBusyMs,
      runQueueMs: Number.isNaN(waitedMs) ? undefined : waitedMs,
      gcShare: shareBetween(this.#openedGc, gc, windowBusyMs),
      ownWorkMs: ownWorkMs - this.#openedOwnWorkMs,
      answers,
      periods: this.#periods,
      lastPeriod: { start: periodStart, end: at },
    };
    this.#openedRunQueueMs = runQueueMs;
    this.#openedGc = gc;
    this.#openedOwnWorkMs = ownWorkMs;
    this.#opened = { at, busyMs };
    this.#lostMs -= lostMs;
    this.#answers = this.#answers.filter(({ takenAt }) => takenAt >= periodStart);
    this.#periods = [];
  }

  #report({ start, end, busyMs, runQueueMs, gcShare, ownWorkMs, answers, periods, lastPeriod }: ClosedWindow): void {
    this.#closed = undefined;
    const { threadId, threadName, excluded, mapStack, onWindow } = this.#options;
    const outside = merged(excluded());
    // The busy time of a period that goes on in the next window counts for both, each for its part.
    const parts = [...periods.map((period) => ({ ...period, start: Math.max(start, period.start) })), lastPeriod];
    const excludedMs = parts.reduce((sum, part) => sum + overlapMs(part, outside), 0);
    const countedMs = Math.max(0, busyMs - excludedMs);
    onWindow({
      threadId,
      threadName,
      start,
      end,
      busyMs: countedMs,
      runQueueMs: runQueueMs === undefined ? undefined : Math.min(runQueueMs, countedMs),
      gcMs: gcShare === undefined ? undefined : gcShare * countedMs,
      counts: countAnswers(answers, {
        longPeriods: periods,
        excluded: outside,
        ownWorkShare: Math.min(1, ownWorkMs / countedMs),
        mapStack,
      }),
    });
  }
}

/** Collections are measured with readings between the windows: the share is that of this part of the busy time at least. */
const MIN_MEASURED_SHARE = 0.5;

/** Share of the busy time in collections; undefined where they were not measured for most of it. */
function shareBetween(from: MeasuredCollections, to: MeasuredCollections, busyMs: number): number | undefined {
  const measuredMs = to.busyMs - from.busyMs;
  if (measuredMs <= 0 || measuredMs < busyMs * MIN_MEASURED_SHARE) return undefined;
  return Math.min(1, (to.gcMs - from.gcMs) / measuredMs);
}

/** Halves the answers: one of each pair stands for both. */
function everySecond(answers: readonly BusyAnswer[]): BusyAnswer[] {
  const kept: BusyAnswer[] = [];
  for (let i = 0; i < answers.length; i += 2) {
    const answer = answers[i]!;
    const { arrivals = 0, weightMs = 0 } = answers[i + 1] ?? {};
    kept[kept.length] = { ...answer, arrivals: answer.arrivals + arrivals, weightMs: answer.weightMs + weightMs };
  }
  return kept;
}

/** The same time in intervals that do not overlap. */
function merged(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { start, end } of [...intervals].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else result.push({ start, end });
  }
  return result;
}
