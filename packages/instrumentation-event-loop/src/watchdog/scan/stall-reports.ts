import { SlotTime } from '../../contract/registry-layout.js';
import type { Registry } from '../../contract/registry.js';
import type { Slot } from '../../contract/slots.js';
import type { StalledThread } from '../../contract/stalled-thread.js';
import { advance, newSchedule, type StallSchedule } from './schedule.js';

export interface StalledThreadObserver {
  /** Called when the gauge is due; `ageMs` is 0 when the thread has recovered. */
  onStalled(thread: StalledThread): void;
  /** Called when a hang report is due. Returns the bytes of its trace id and span id. */
  onHang(thread: StalledThread): Uint8Array;
}

/** How long a hang report waits for the thread's answer, ms. */
const REPORT_TIMEOUT_MS = 250;

/** Reports one late thread when it is due: the gauge and the hang reports. */
export class StallReports {
  readonly #registry: Registry;
  readonly #slot: Slot;
  readonly #threadId: number;
  readonly #observer: StalledThreadObserver;
  #schedule: StallSchedule;
  #hangReports: string | undefined;
  #culprit: string | undefined;
  #isStalled = false;
  /** When a hang report became due that still waits for the thread's answer. */
  #hangDueAt: number | undefined;

  constructor(registry: Registry, slot: Slot, threadId: number, observer: StalledThreadObserver) {
    this.#registry = registry;
    this.#slot = slot;
    this.#threadId = threadId;
    this.#observer = observer;
    this.#schedule = newSchedule(slot.getTime(SlotTime.hangAfterMs));
  }

  /** A hang report is due and waits for the thread's answer. */
  get isHangDue(): boolean {
    return this.#hangDueAt !== undefined;
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
    if (this.#isStalled) this.#observer.onStalled(this.#stalledThread(0));
    this.#isStalled = false;
    this.#hangReports = undefined;
    this.#culprit = undefined;
    this.#hangDueAt = undefined;
  }

  /** Begins the schedule again, for another phase of the thread. */
  restart(): void {
    this.recover();
    this.#schedule = newSchedule(this.#slot.getTime(SlotTime.hangAfterMs));
  }

  /** Reports what is due of a thread that has been blocked for `ageMs`. */
  reportDue(ageMs: number, now: number): void {
    const { gauge, hang, next } = advance(this.#schedule, ageMs);
    this.#schedule = next;
    if (gauge) {
      this.#isStalled = true;
      this.#observer.onStalled(this.#stalledThread(ageMs));
    }
    if (hang) this.#hangDueAt ??= now;
    if (this.#hangDueAt !== undefined && now - this.#hangDueAt > REPORT_TIMEOUT_MS) this.reportHang(ageMs);
  }

  /** Keeps the thread's own description of its block: the JSON of `HangReport[]`, in a second line the culprit. */
  setHangReports(text: string): void {
    const [hangReports, culprit] = text.split('\n', 2);
    this.#hangReports = hangReports;
    this.#culprit = culprit ?? this.#culprit;
  }

  reportHang(ageMs: number): void {
    this.#hangDueAt = undefined;
    this.#registry.setHangId(this.#slot, this.#observer.onHang(this.#stalledThread(ageMs)));
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
