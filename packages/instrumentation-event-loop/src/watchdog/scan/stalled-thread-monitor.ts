import { sharedNow } from '../../contract/clock.js';
import type { ThreadTimes } from '../../contract/model.js';
import { Asking, Ending, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { Slot } from '../../contract/slots.js';
import { openSchedstat, type ThreadTimesReader } from '../../contract/thread-times.js';
import { askingOf, askThread, leaveThread } from '../ask/ask-thread.js';
import { pauseInterval, pausesFrom } from '../ask/pauses.js';
import { LooksRecorder } from './looks-recorder.js';
import { phaseOf, type Phase } from './phase.js';
import { sampleInterval, STALLED_AFTER_MS } from './schedule.js';
import { SilenceReader } from './silence.js';
import { accountedTime } from './suspension-finder.js';
import { StallReports, type StalledThreadObserver } from './stall-reports.js';
import { ThreadQuestions } from './thread-questions.js';

/** Longest sample interval of a thread that sleeps and wakes within one iteration, ms: the samples show its sleeps. */
const MAX_SLEEPING_INTERVAL_MS = 50;
/** CPU time, ms, that a thread may use and still count as asleep: the watchdog's own question costs it some. */
const WAKE_CPU_MS = 0.3;
/** When an answer shows no JavaScript, the thread is asked again after this time, ms, and this often at most. */
const EMPTY_ANSWER_INTERVAL_MS = 2;
const MAX_EMPTY_ANSWERS = 4;
/** Interval at which a sleeping thread is asked where its CPU time cannot be read, ms. */
const NO_CPU_TIME_INTERVAL_MS = 1000;
/** Samples one stalled thread: decides when it is asked, and what its answers show. */
export class StalledThreadMonitor {
  readonly #registry: Registry;
  readonly #slot: Slot;
  readonly #threadId: number;
  readonly #generation: number;
  readonly #reports: StallReports;
  readonly #questions: ThreadQuestions;
  readonly #looks: LooksRecorder;
  readonly #silence: SilenceReader;
  #tickAt = 0;
  #phase: Phase = 'busy';
  /** When the phase began, on the shared clock. */
  #phaseStart = 0;
  #hasSlept = false;
  #isStalled = false;
  #emptyAnswers = 0;
  #threadTimes: ThreadTimesReader | undefined;
  /** Its times at the last look, where it was stalled. */
  #lastTimes: { readonly at: number; readonly times: ThreadTimes | undefined } | undefined;
  #sleepCpuMs: number | undefined;

  constructor(registry: Registry, slot: Slot, observer: StalledThreadObserver, ask = askThread) {
    this.#registry = registry;
    this.#slot = slot;
    this.#threadId = slot.getInt(SlotInt.threadId);
    this.#generation = slot.getInt(SlotInt.generation);
    this.#looks = new LooksRecorder(slot);
    this.#silence = new SilenceReader(
      slot,
      () => this.#readTimes(),
      // A thread that is yet to be stopped for its first question does not answer either, nor one that no question reaches.
      () =>
        this.#questions.isReached &&
        (askingOf(registry) === Asking.unknown || askingOf(registry) === Asking.byInterrupt),
    );
    this.#reports = new StallReports(registry, slot, this.#threadId, observer, this.#silence);
    this.#questions = new ThreadQuestions({
      registry,
      slot,
      ask,
      readTimes: () => this.#readTimes(),
      onFirstAsked: (now) => {
        this.#silence.onAsked(now);
      },
      onAnswer: (answer, askedAt) => {
        this.#onAnswer(answer, askedAt);
      },
      onUnaskable: () => {
        observer.onUnaskable();
      },
    });
  }

  isOf(slot: Slot): boolean {
    return (
      slot.getInt(SlotInt.state) === 2 &&
      slot.getInt(SlotInt.threadId) === this.#threadId &&
      slot.getInt(SlotInt.generation) === this.#generation
    );
  }

  /**
   * Looks at the stalled thread, which was not blocked at `notBlockedAt` although its loop has not ticked since `tickAt`.
   * Returns when to look again. All times are on the shared clock.
   */
  look(tickAt: number, notBlockedAt: number, now: number): number {
    if (tickAt !== this.#tickAt) {
      this.recover();
      this.#tickAt = tickAt;
      this.#hasSlept = false;
      this.#questions.restart(tickAt);
      this.#beginPhase('busy', Math.max(tickAt, notBlockedAt), now);
      this.#looks.restart(now);
    } else if (this.#phaseStart < notBlockedAt) {
      this.#beginPhase(this.#phase, notBlockedAt, now); // idle meanwhile
      this.#looks.restart(now);
    }
    this.#isStalled = true;
    this.#looks.look(now); // before a question, which wakes the thread
    this.#lastTimes = { at: now, times: this.#readTimes() };
    const ageMs = now - this.#phaseStart;
    if (this.#phase !== 'idle') this.#reports.reportDue(ageMs, now);
    const askFromMs = this.#isByPause ? pausesFrom() : 0;
    if (ageMs < askFromMs) return Math.min(now + MAX_SLEEPING_INTERVAL_MS, now + askFromMs - ageMs);
    const intervalMs = this.#askInterval(ageMs);
    const { askedAt, isAsking } = this.#questions;
    const isDue = this.#reports.isDueSince(askedAt) || (now - askedAt >= intervalMs && this.#mayHaveWoken());
    const isEnding = this.#slot.getInt(SlotInt.ending) === Ending.wanted;
    if (this.#isTrialDue(ageMs, now)) this.#questions.tryPause();
    else if (!isAsking && (isDue || isEnding)) this.#ask(now);
    return Math.min(now + MAX_SLEEPING_INTERVAL_MS, Math.max(now + 1, this.#questions.askedAt + intervalMs));
  }

  /** Whether the thread is stalled in the iteration that began with that tick. */
  isStalledSince(tickAt: number): boolean {
    return this.#isStalled && this.#tickAt === tickAt;
  }

  /** What a thread does that is stalled in the iteration that began with that tick, and whether it is being asked now. */
  stallSince(tickAt: number): { readonly phase: Phase; readonly isAsking: boolean } | undefined {
    return this.isStalledSince(tickAt) ? { phase: this.#phase, isAsking: this.#questions.isAsking } : undefined;
  }

  /** Whether the stalled thread ran, or waited for a CPU, for most of a time since the last look. */
  hasRun(start: number, end: number): boolean {
    if (!this.#isStalled || !this.#lastTimes) return false;
    const { at, times } = this.#lastTimes;
    const accountedMs = accountedTime(this.#readTimes()) - accountedTime(times);
    // All of the time before may be part of it.
    return accountedMs - Math.max(0, start - at) > (end - start) / 2;
  }

  /**
   * The process was suspended: a stalled thread is still stalled, but that time does not count. A short suspension comes often
   * where a hypervisor shares its CPUs, and must not hide a hang.
   */
  excludeSuspension(start: number, end: number): void {
    if (this.#isStalled) this.#phaseStart += Math.max(0, end - Math.max(start, this.#phaseStart));
  }

  /** Since when the thread has been blocked, without suspensions, and by what where liveness is on; undefined when not. */
  currentBlock(): { readonly blockedSince: number; readonly culprit: string | undefined } | undefined {
    const isBlocked = this.#isStalled && this.#phase !== 'idle' && this.#slot.getTime(SlotTime.tickAt) === this.#tickAt;
    return isBlocked ? { blockedSince: this.#phaseStart, culprit: this.#reports.culprit } : undefined;
  }

  /** Called when the thread's loop iterates again. */
  recover(): void {
    this.#leave();
    this.#reports.recover();
  }

  /** Called when the thread has ended. */
  close(): void {
    this.#questions.close();
    this.#leave();
    this.#reports.end();
    this.#threadTimes?.close();
    this.#looks.close();
  }

  #leave(): void {
    if (this.#isStalled) leaveThread(this.#threadId);
    this.#isStalled = false;
  }

  #beginPhase(phase: Phase, start: number, now: number): void {
    this.#reports.restart();
    this.#silence.restart(now, start);
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

  /** Whether the other way to ask is due to be tried: the thread runs, but does not answer. */
  #isTrialDue(ageMs: number, now: number): boolean {
    return this.#phase === 'busy' && this.#questions.isTrialDue(ageMs, now) && this.#silence.state(now) !== 'asleep';
  }

  #ask(now: number): void {
    // The first gauge and each report need the thread's own report, which costs the thread 1 ms.
    const wantsReport =
      this.#reports.isReportDue ||
      (!this.#reports.hasHangReports && this.#phase !== 'idle' && now - this.#phaseStart >= STALLED_AFTER_MS / 2);
    this.#questions.ask(now, wantsReport);
  }

  #onAnswer(answer: number | string, askedAt: number): void {
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
      if (this.#tickAt === tickAt && this.#questions.isStillStalled && !this.#questions.isAsking)
        this.#ask(sharedNow());
    }, EMPTY_ANSWER_INTERVAL_MS);
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
