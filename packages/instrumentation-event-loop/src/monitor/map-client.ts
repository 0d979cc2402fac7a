import { threadClock } from '../contract/clock.js';
import { MapMailboxes } from '../contract/map-mailboxes.js';
import { parseAnswers, questionText } from '../contract/map-text.js';
import type { Frame } from '../contract/model.js';
import { Header, SlotInt } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';
import { needsAnswer, setAnswer } from './source-map.js';
import type { Subscribers } from './subscribers.js';
import { isWatchdogRunning } from './watchdog-state.js';

export interface MapClientOptions {
  readonly mailboxes: Pick<MapMailboxes, 'ask' | 'takeAnswer' | 'waitForAnswer'>;
  readonly slot: Pick<Slot, 'index'>;
  readonly generation: number;
  readonly now: () => number;
  /** Whether a watchdog runs, and sources are wanted. */
  readonly isOn: () => boolean;
  readonly wakeWatchdog: () => void;
}

/** Frames that wait to be asked; those of later blocks ask again. */
const MAX_QUEUED = 2048;
/** Characters of one question: its answer, which is longer, has to fit into the mailbox, too. */
const MAX_QUESTION = 12_000;
/** A report waits for an answer for so long, ms. */
const MAX_WAIT_MS = 1000;

/**
 * Asks the watchdog for the source of frames, and takes its answers. This thread neither reads nor parses a source map.
 * It asks while the code is blocked, so that a map is known when the block is reported.
 */
export class MapClient {
  readonly #options: MapClientOptions;
  #queued: Frame[] = [];
  #asked: { readonly box: number; readonly frames: readonly Frame[] } | undefined;
  /** When the first report was due that waits for frames without an answer: not while the code is blocked. */
  #waitingSince: number | undefined;

  constructor(options: MapClientOptions) {
    this.#options = options;
  }

  get #isAnswered(): boolean {
    return this.#asked === undefined && this.#queued.length === 0;
  }

  /** Called in interrupted code, with the frames of an answer to the watchdog. */
  ask(frames: readonly Frame[]): void {
    if (!this.#options.isOn()) return;
    for (const frame of frames) {
      if (this.#queued.length < MAX_QUEUED && needsAnswer(frame)) this.#queued.push(frame);
    }
    this.#proceed();
  }

  /** Whether a report has to wait for an answer. */
  isWaiting(): boolean {
    this.#proceed();
    const { now, isOn } = this.#options;
    if (this.#isAnswered || !isOn()) return false;
    this.#waitingSince ??= now();
    return now() - this.#waitingSince < MAX_WAIT_MS;
  }

  /** Waits for a limited time, without the event loop: the process ends. */
  waitAtEnd(ms: number): void {
    const until = this.#options.now() + ms;
    for (let leftMs = ms; this.#asked && leftMs > 0; leftMs = until - this.#options.now()) {
      this.#options.mailboxes.waitForAnswer(this.#asked.box, leftMs);
      this.#proceed();
    }
  }

  /** Takes the answer, and asks for what is queued. */
  #proceed(): void {
    if (this.#asked) {
      const text = this.#options.mailboxes.takeAnswer(this.#asked.box);
      if (text === undefined) return;
      const answers = parseAnswers(text);
      for (const [i, frame] of this.#asked.frames.entries()) setAnswer(frame, answers[i] ?? 'none');
      this.#asked = undefined;
    }
    this.#send();
    if (this.#isAnswered) this.#waitingSince = undefined;
  }

  #send(): void {
    const { mailboxes, slot, generation, wakeWatchdog } = this.#options;
    let text = '';
    const frames: Frame[] = [];
    while (this.#queued.length > 0 && text.length < MAX_QUESTION) {
      const frame = this.#queued.shift()!;
      const question = questionText(frame);
      if (question === undefined) setAnswer(frame, 'none');
      else {
        text += question;
        frames.push(frame);
      }
    }
    if (frames.length === 0) return;
    const box = mailboxes.ask(slot, generation, text);
    if (box === undefined) {
      this.#queued = [...frames, ...this.#queued];
      return;
    }
    this.#asked = { box, frames };
    wakeWatchdog();
  }
}

/** The client of the thread that has the slot. */
export function mapClientOf(slot: Slot, registry: Registry, subscribers: Subscribers): MapClient {
  return new MapClient({
    mailboxes: new MapMailboxes(registry.buffer),
    slot,
    generation: slot.getInt(SlotInt.generation),
    now: threadClock.now,
    isOn: () => isWatchdogRunning(registry) && subscribers.some(({ sourceMaps }) => sourceMaps),
    wakeWatchdog: () => {
      Atomics.add(registry.ints, Header.wake, 1);
      Atomics.notify(registry.ints, Header.wake);
    },
  });
}
