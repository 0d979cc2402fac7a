import { Sleep, SlotInt, SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { Slot } from '../../contract/slots.js';
import type { Silence, StalledThread } from '../../contract/stalled-thread.js';
import type { SilenceReader } from './silence.js';
import { advance, changeSettings, newSchedule, type StallSchedule, type StallSettings } from './schedule.js';

export interface StalledThreadObserver {
  /** Called when the gauge is due; `ageMs` is 0 when the thread has recovered. */
  onStalled(thread: StalledThread): void;
  /** The same of the length so far. */
  onLength(thread: StalledThread): void;
  /** Called instead of the last `onLength` when the thread has ended, which may not have reported its block. */
  onEnded(thread: StalledThread): void;
  /** Called when a report of the block so far is due. */
  onSoFar(thread: StalledThread): void;
  /** Called when a hang report is due. Returns the bytes of its trace id and span id. */
  onHang(thread: StalledThread): Uint8Array;
  /** Called once where no way to ask a blocked thread works. */
  onUnaskable(): void;
}

/**
 * How long a report waits for the thread's answer, ms: less where the thread has not answered in this block, and more
 * where it waits for a CPU, without which it cannot answer.
 */
const FIRST_ANSWER_TIMEOUT_MS = 250;
const ANSWER_TIMEOUT_MS = 1000;
const QUEUED_TIMEOUT_MS = 2500;

/** Reports one late thread when it is due. */
export class StallReports {
  readonly #registry: Registry;
  readonly #slot: Slot;
  readonly #threadId: number;
  readonly #observer: StalledThreadObserver;
  readonly #silence: SilenceReader;
  #settings: StallSettings;
  #schedule: StallSchedule;
  #hangReports: string | undefined;
  #culprit: string | undefined;
  #answeredAt: number | undefined;
  /** What has been reported and not been taken back. */
  #hasGauge = false;
  #hasLength = false;
  /** When a report became due that still waits for the thread's answer, and which. */
  #reportDueAt: number | undefined;
  #isHangDue = false;
  #isSoFarDue = false;

  constructor(
    registry: Registry,
    slot: Slot,
    threadId: number,
    observer: StalledThreadObserver,
    silence: SilenceReader,
  ) {
    this.#registry = registry;
    this.#slot = slot;
    this.#threadId = threadId;
    this.#observer = observer;
    this.#silence = silence;
    this.#settings = settingsOf(slot);
    this.#schedule = newSchedule(this.#settings);
  }

  /** A report is due and waits for the thread's answer. */
  get isReportDue(): boolean {
    return this.#reportDueAt !== undefined;
  }

  /** Whether a report is due that became so after that time: the question of then did not ask for it. */
  isDueSince(askedAt: number): boolean {
    return this.#reportDueAt !== undefined && this.#reportDueAt > askedAt;
  }

  /** The thread has described its block. */
  get hasHangReports(): boolean {
    return this.#hangReports !== undefined;
  }

  /** The culprit for the liveness answer; undefined where it is not known, and where liveness is off. */
  get culprit(): string | undefined {
    return this.#culprit;
  }

  /** Called when the thread is not blocked any more, or blocked in another way. */
  recover(): void {
    this.#endGauge();
    // A worker that is terminated before it has reported its block has only this.
    if (this.#hasLength && this.#slot.getInt(SlotInt.sleep) !== Sleep.reporting) {
      this.#hasLength = false;
      this.#observer.onLength(this.#stalledThread(0));
    }
    this.#forget();
  }

  /** Called when the thread has ended. */
  end(): void {
    this.#endGauge();
    if (this.#hasLength) this.#observer.onEnded(this.#stalledThread(0));
    this.#hasLength = false;
    this.#forget();
  }

  #endGauge(): void {
    if (this.#hasGauge) this.#observer.onStalled(this.#stalledThread(0));
    this.#hasGauge = false;
  }

  #forget(): void {
    this.#hangReports = undefined;
    this.#culprit = undefined;
    this.#answeredAt = undefined;
    this.#nothingIsDue();
  }

  /** Begins the schedule again, for another phase of the thread. */
  restart(): void {
    this.recover();
    this.#settings = settingsOf(this.#slot);
    this.#schedule = newSchedule(this.#settings);
  }

  /** Reports what is due of a thread that has been blocked for `ageMs`. */
  reportDue(ageMs: number, now: number): void {
    this.#followSettings();
    const { due, next } = advance(this.#schedule, ageMs);
    this.#schedule = next;
    if (due.gauge) {
      this.#hasGauge = true;
      this.#observer.onStalled(this.#stalledThread(ageMs));
    }
    if (due.length) {
      this.#hasLength = true;
      this.#observer.onLength({ ...this.#stalledThread(ageMs), times: this.#silence.times(ageMs, now) });
    }
    this.#isHangDue ||= due.hang;
    this.#isSoFarDue ||= due.soFar;
    if (due.hang || due.soFar) this.#reportDueAt ??= now;
    if (this.#reportDueAt === undefined || this.#mayAnswerYet(this.#reportDueAt, now)) return;
    const isSoFarDue = this.#isSoFarDue;
    const isAnswered = this.#answeredAt !== undefined && this.#answeredAt >= this.#reportDueAt;
    this.#report(ageMs, isAnswered ? undefined : this.#silence.silence(ageMs, this.#answeredAt, now));
    // What is reported without an answer is little: the next answer, whenever it comes, is reported, too.
    this.#isSoFarDue = isSoFarDue;
    if (isSoFarDue) this.#reportDueAt = now;
  }

  /** `loopwatch attach` joins the instrumentation of a thread that is stalled already. */
  #followSettings(): void {
    const settings = settingsOf(this.#slot);
    this.#schedule = changeSettings(this.#schedule, this.#settings, settings);
    this.#settings = settings;
  }

  /** Keeps the thread's own description of its block: the JSON of `HangReport[]`, in a second line the culprit. */
  setHangReports(text: string, now: number): void {
    const [hangReports, culprit] = text.split('\n', 2);
    this.#hangReports = hangReports;
    this.#culprit = culprit ?? this.#culprit;
    this.#answeredAt = now;
  }

  /** Makes the reports that are due, of a thread that has just answered. */
  report(ageMs: number): void {
    this.#report(ageMs, undefined);
  }

  #report(ageMs: number, silence: Silence | undefined): void {
    const thread = { ...this.#stalledThread(ageMs), silence };
    if (this.#isSoFarDue) this.#observer.onSoFar(thread);
    if (this.#isHangDue) this.#registry.setHangId(this.#slot, this.#observer.onHang(thread));
    this.#nothingIsDue();
  }

  #mayAnswerYet(dueAt: number, now: number): boolean {
    const timeoutMs = this.#answeredAt === undefined ? FIRST_ANSWER_TIMEOUT_MS : ANSWER_TIMEOUT_MS;
    if (now - dueAt <= timeoutMs) return true;
    return now - dueAt <= QUEUED_TIMEOUT_MS && this.#silence.state(now) === 'queued';
  }

  #nothingIsDue(): void {
    this.#reportDueAt = undefined;
    this.#isHangDue = false;
    this.#isSoFarDue = false;
  }

  #stalledThread(ageMs: number): StalledThread {
    return {
      threadId: this.#threadId,
      threadName: this.#registry.nameOf(this.#slot),
      ageMs,
      hangReports: this.#hangReports,
    };
  }
}

function settingsOf(slot: Slot): StallSettings {
  return { hangAfterMs: slot.getTime(SlotTime.hangAfterMs), soFarAfterMs: slot.getTime(SlotTime.soFarAfterMs) };
}
