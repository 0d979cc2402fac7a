import { sharedNow } from '../../contract/clock.js';
import type { ThreadTimes } from '../../contract/model.js';
import { PROBE_SYMBOL } from '../../contract/probe-answers.js';
import { Asking, Ending, Question, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { Slot } from '../../contract/slots.js';
import { openSchedstat, readTogether, type ThreadTimesReader } from '../../contract/thread-times.js';
import { RUNS_ON, TERMINATED, THREAD_GONE } from '../ask/answer.js';
import { askingOf, askThread, leaveThread, seemsUnanswered } from '../ask/ask-thread.js';
import { repeatLostTermination } from '../ask/lost-limit.js';
import { pauseInterval, pausesFrom, tryPause } from '../ask/pauses.js';
import { LooksRecorder } from './looks-recorder.js';
import { phaseOf, type Phase } from './phase.js';
import { sampleInterval, STALLED_AFTER_MS } from './schedule.js';
import { SilenceReader } from './silence.js';
import { StallReports, type StalledThreadObserver } from './stall-reports.js';

const PROBE = `globalThis[Symbol.for(${JSON.stringify(PROBE_SYMBOL)})]`;
const SAMPLE_EXPRESSION = `${PROBE}?.()`;
const REPORT_EXPRESSION = `${PROBE}?.(true)`;

/** Longest sample interval of a thread that sleeps and wakes within one iteration, ms: the samples show its sleeps. */
const MAX_SLEEPING_INTERVAL_MS = 50;
/** CPU time, ms, that a thread may use and still count as asleep: the watchdog's own question costs it some. */
const WAKE_CPU_MS = 0.3;
/** When an answer shows no JavaScript, the thread is asked again after this time, ms, and this often at most. */
const EMPTY_ANSWER_INTERVAL_MS = 2;
const MAX_EMPTY_ANSWERS = 4;
/** Interval at which a sleeping thread is asked where its CPU time cannot be read, ms. */
const NO_CPU_TIME_INTERVAL_MS = 1000;
/** How long a question has waited, ms, and the block has lasted, until the other way to ask is tried: see `tryPause`. */
const TRIAL_WAIT_MS = 300;
const TRIAL_FROM_MS = 3000;
/** The same where a block before has ended without an answer from within. */
const SUSPICIOUS_TRIAL_FROM_MS = 500;
/** JavaScript reaches a message within this time, ms, and the watchdog hears of it; a native call takes longer. */
const REACHED_MS = 2;

/** Samples one late thread: decides when it is asked, and what its answers show. */
export class StalledThreadMonitor {
  readonly #registry: Registry;
  readonly #slot: Slot;
  readonly #threadId: number;
  readonly #generation: number;
  readonly #reports: StallReports;
  readonly #askThread: typeof askThread;
  readonly #onUnaskable: () => void;
  readonly #looks: LooksRecorder;
  readonly #silence: SilenceReader;
  #tickAt = 0;
  #phase: Phase = 'busy';
  /** When the phase began, on the shared clock. */
  #phaseStart = 0;
  #hasSlept = false;
  #askedAt = -Infinity;
  #isAsking = false;
  /** Number of the last question: what a former one is answered with does not count. */
  #questionId = 0;
  #isTried = false;
  #sent: ReturnType<typeof readTogether> | undefined;
  #isLate = false;
  #isClosed = false;
  #emptyAnswers = 0;
  #hasUnansweredQuestion = false;
  #threadTimes: ThreadTimesReader | undefined;
  #sleepCpuMs: number | undefined;

  constructor(registry: Registry, slot: Slot, observer: StalledThreadObserver, ask = askThread) {
    this.#onUnaskable = () => {
      observer.onUnaskable();
    };
    this.#registry = registry;
    this.#slot = slot;
    this.#threadId = slot.getInt(SlotInt.threadId);
    this.#generation = slot.getInt(SlotInt.generation);
    this.#askThread = ask;
    this.#looks = new LooksRecorder(slot);
    this.#silence = new SilenceReader(
      slot,
      () => this.#readTimes(),
      // A thread that is yet to be stopped for its first question does not answer either.
      () => askingOf(registry) === Asking.unknown || askingOf(registry) === Asking.byInterrupt,
    );
    this.#reports = new StallReports(registry, slot, this.#threadId, observer, this.#silence);
  }

  isOf(slot: Slot): boolean {
    return (
      slot.getInt(SlotInt.state) === 2 &&
      slot.getInt(SlotInt.threadId) === this.#threadId &&
      slot.getInt(SlotInt.generation) === this.#generation
    );
  }

  /**
   * Looks at the late thread, which was not blocked at `notBlockedAt` although its loop has not ticked since `tickAt`.
   * Returns when to look again. All times are on the shared clock.
   */
  look(tickAt: number, notBlockedAt: number, now: number): number {
    if (tickAt !== this.#tickAt) {
      this.recover();
      this.#tickAt = tickAt;
      this.#hasSlept = false;
      this.#hasUnansweredQuestion = false;
      this.#isTried = false;
      this.#beginPhase('busy', Math.max(tickAt, notBlockedAt), now);
      this.#askedAt = -Infinity;
      this.#looks.restart(now);
    } else if (this.#phaseStart < notBlockedAt) {
      this.#beginPhase(this.#phase, notBlockedAt, now); // idle meanwhile
      this.#looks.restart(now);
    }
    this.#isLate = true;
    this.#looks.look(now); // before a question, which wakes the thread
    const ageMs = now - this.#phaseStart;
    if (this.#phase !== 'idle') this.#reports.reportDue(ageMs, now);
    const askFromMs = this.#isByPause ? pausesFrom() : 0;
    if (ageMs < askFromMs) return Math.min(now + MAX_SLEEPING_INTERVAL_MS, now + askFromMs - ageMs);
    const intervalMs = this.#askInterval(ageMs);
    const isDue =
      this.#reports.isDueSince(this.#askedAt) || (now - this.#askedAt >= intervalMs && this.#mayHaveWoken());
    const isEnding = this.#slot.getInt(SlotInt.ending) === Ending.wanted;
    if (this.#isTrialDue(ageMs, now)) this.#tryPause();
    else if (!this.#isAsking && (isDue || isEnding)) this.#ask(now);
    return Math.min(now + MAX_SLEEPING_INTERVAL_MS, Math.max(now + 1, this.#askedAt + intervalMs));
  }

  /** Whether the thread is late in the iteration that began with that tick. */
  isLateSince(tickAt: number): boolean {
    return this.#isLate && this.#tickAt === tickAt;
  }

  /** What a thread does that is late in the iteration that began with that tick, and whether it is being asked now. */
  stallSince(tickAt: number): { readonly phase: Phase; readonly isAsking: boolean } | undefined {
    return this.isLateSince(tickAt) ? { phase: this.#phase, isAsking: this.#isAsking } : undefined;
  }

  /**
   * The process was suspended: a late thread is still late, but that time does not count. A short suspension comes often
   * where a hypervisor shares its CPUs, and must not hide a hang.
   */
  excludeSuspension(start: number, end: number): void {
    if (this.#isLate) this.#phaseStart += Math.max(0, end - Math.max(start, this.#phaseStart));
  }

  /** Since when the thread has been blocked, without suspensions, and by what where liveness is on; undefined when not. */
  currentBlock(): { readonly blockedSince: number; readonly culprit: string | undefined } | undefined {
    const isBlocked = this.#isLate && this.#phase !== 'idle' && this.#slot.getTime(SlotTime.tickAt) === this.#tickAt;
    return isBlocked ? { blockedSince: this.#phaseStart, culprit: this.#reports.culprit } : undefined;
  }

  /** Called when the thread's loop iterates again. */
  recover(): void {
    if (this.#isLate) leaveThread(this.#threadId);
    this.#isLate = false;
    this.#reports.recover();
  }

  /** Called when the thread has ended. */
  close(): void {
    this.#isClosed = true;
    this.recover();
    this.#threadTimes?.close();
    this.#looks.close();
  }

  #beginPhase(phase: Phase, start: number, now: number): void {
    this.#reports.restart();
    this.#silence.restart(now);
    this.#phase = phase;
    this.#phaseStart = start;
  }

  get #isByPause(): boolean {
    return askingOf(this.#registry) === Asking.byPause;
  }

  #askInterval(ageMs: number): number {
    if (this.#phase !== 'busy' && this.#sleepCpuMs === undefined) return NO_CPU_TIME_INTERVAL_MS;
    if (this.#isByPause) return pauseInterval(this.#threadId, ageMs);
    const intervalMs = sampleInterval(ageMs, this.#slot.getTime(SlotTime.sampleIntervalMs));
    return this.#hasSlept ? Math.min(intervalMs, MAX_SLEEPING_INTERVAL_MS) : intervalMs;
  }

  /** A thread that sleeps is not asked again until it has used CPU time. */
  #mayHaveWoken(): boolean {
    if (this.#phase === 'busy' || this.#sleepCpuMs === undefined) return true;
    const cpuMs = this.#readCpuMs();
    return cpuMs === undefined || cpuMs - this.#sleepCpuMs > WAKE_CPU_MS;
  }

  /**
   * Whether the other way to ask is due to be tried: no thread of the process has ever answered within a block, and this
   * one runs, but does not either.
   */
  #isTrialDue(ageMs: number, now: number): boolean {
    const asking = askingOf(this.#registry);
    if (this.#isTried || this.#phase !== 'busy' || (asking !== Asking.unknown && asking !== Asking.impossible))
      return false;
    if (ageMs < (seemsUnanswered() ? SUSPICIOUS_TRIAL_FROM_MS : TRIAL_FROM_MS)) return false;
    const isUnanswered = this.#hasUnansweredQuestion && now - this.#slot.getTime(SlotTime.requestedAt) >= TRIAL_WAIT_MS;
    return isUnanswered && this.#silence.state(now) !== 'asleep';
  }

  #tryPause(): void {
    this.#isTried = true;
    const tickAt = this.#tickAt;
    tryPause(
      this.#registry,
      this.#threadId,
      SAMPLE_EXPRESSION,
      {
        onSent: () => {
          this.#sent = readTogether(sharedNow, () => this.#readTimes());
        },
        onReached: () => {
          this.#onReached();
        },
        onAnswer: (answer) => {
          if (!this.#isByPause || !this.#isStillLate(tickAt)) return;
          // The question that waits is answered when the loop iterates.
          this.#questionId++;
          this.#isAsking = false;
          if (answer !== undefined && answer !== RUNS_ON) this.#onAnswer(answer, this.#askedAt);
        },
      },
      this.#onUnaskable,
    );
  }

  #ask(now: number): void {
    this.#askedAt = now;
    this.#sent = undefined;
    const id = ++this.#questionId;
    this.#isAsking = true;
    // When a question that was not answered is asked again, the times of the first request count.
    const isFirst = !this.#hasUnansweredQuestion;
    if (isFirst) {
      this.#slot.setTime(SlotTime.requestedAt, now);
      this.#silence.onAsked(now);
    }
    this.#hasUnansweredQuestion = true;
    // The first gauge and each report need the thread's own report, which costs the thread 1 ms.
    const wantsReport =
      this.#reports.isReportDue ||
      (!this.#reports.hasHangReports && this.#phase !== 'idle' && now - this.#phaseStart >= STALLED_AFTER_MS / 2);
    const askedTickAt = this.#tickAt;
    this.#slot.setInt(SlotInt.question, Question.asked);
    this.#askThread(this.#registry, this.#threadId, wantsReport ? REPORT_EXPRESSION : SAMPLE_EXPRESSION, {
      onSent: () => {
        if (!this.#isAsking || this.#questionId !== id || this.#isClosed) return;
        this.#sent = readTogether(sharedNow, () => this.#readTimes());
        if (isFirst) this.#recordSent(this.#sent);
      },
      onReached: () => {
        if (this.#questionId === id && !this.#isClosed) this.#onReached();
      },
      onAnswer: (answer) => {
        if (this.#questionId !== id) return;
        this.#isAsking = false;
        if (this.#isClosed) return;
        if (answer === THREAD_GONE) this.#registry.release(this.#slot, this.#threadId);
        else if (answer === TERMINATED)
          repeatLostTermination(this.#registry, this.#threadId, () => this.#isStillLate(askedTickAt));
        else if (answer !== undefined && answer !== RUNS_ON && this.#tickAt === askedTickAt)
          this.#onAnswer(answer, now);
      },
    });
  }

  /**
   * Records when the thread could be interrupted, for the probe: a later answer was delayed by a native call, or by a
   * wait for a CPU.
   */
  #recordSent({ at, times }: ReturnType<typeof readTogether>): void {
    this.#slot.setTime(SlotTime.sentRunQueueMs, times?.runQueueMs ?? NaN);
    this.#slot.setTime(SlotTime.sentAt, at);
  }

  /**
   * The thread has reached a question for which it is then stopped. Where it did so at once, the answer is not late,
   * however long that takes: it shows where the thread was when it was asked.
   */
  #onReached(): void {
    const { at, times } = readTogether(sharedNow, () => this.#readTimes());
    const sent = this.#sent;
    if (sent) {
      const waitedMs = (times?.runQueueMs ?? 0) - (sent.times?.runQueueMs ?? 0);
      if (at - sent.at - waitedMs > REACHED_MS) return;
    }
    this.#slot.setTime(SlotTime.requestedAt, at);
    this.#slot.setTime(SlotTime.sentAt, 0);
  }

  #onAnswer(answer: number | string, askedAt: number): void {
    this.#hasUnansweredQuestion = false;
    // A hang report begins with the digit that is otherwise the whole answer.
    const answeredPhase = phaseOf(typeof answer === 'string' ? Number(answer[0]) : answer);
    if (answeredPhase === undefined) this.#askAgain();
    else this.#emptyAnswers = 0;
    const phase = answeredPhase ?? this.#phase;
    if (phase !== this.#phase) this.#beginPhase(phase, askedAt, sharedNow());
    if (typeof answer === 'string' && phase !== 'idle') {
      const now = sharedNow();
      this.#reports.setHangReports(answer.slice(1), now);
      // A report that names no function waits, while the thread is asked again.
      if (this.#reports.isReportDue && answeredPhase !== undefined) this.#reports.report(now - this.#phaseStart);
    } else if (this.#reports.isDueSince(askedAt)) this.#ask(sharedNow());
    if (phase === 'busy') return;
    this.#hasSlept = true;
    this.#sleepCpuMs = this.#readCpuMs();
  }

  /**
   * The thread was between two microtasks, with no JavaScript on the stack: one of the next answers usually shows some.
   */
  #askAgain(): void {
    if (this.#isByPause) return; // a stop costs more
    // While a report is due, there is no limit but the time for which it waits.
    if (!this.#reports.isReportDue && this.#emptyAnswers >= MAX_EMPTY_ANSWERS) {
      this.#emptyAnswers = 0;
      return;
    }
    this.#emptyAnswers++;
    const tickAt = this.#tickAt;
    setTimeout(() => {
      if (this.#isStillLate(tickAt) && !this.#isAsking) this.#ask(sharedNow());
    }, EMPTY_ANSWER_INTERVAL_MS);
  }

  #isStillLate(tickAt: number): boolean {
    return !this.#isClosed && this.#tickAt === tickAt && this.#slot.getTime(SlotTime.tickAt) === tickAt;
  }

  #readCpuMs(): number | undefined {
    return this.#readTimes()?.cpuMs;
  }

  #readTimes(): ThreadTimes | undefined {
    const osThreadId = this.#slot.getInt(SlotInt.osThreadId);
    if (osThreadId === 0) return undefined;
    this.#threadTimes ??= openSchedstat(`self/task/${osThreadId}`);
    return this.#threadTimes?.read();
  }
}
