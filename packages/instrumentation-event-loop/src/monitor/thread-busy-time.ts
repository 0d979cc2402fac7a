import { threadId } from 'node:worker_threads';
import { threadClock } from '../contract/clock.js';
import type { Interval } from '../contract/interval.js';
import type { ThreadTimes } from '../contract/model.js';
import { SlotInt, SlotTime } from '../contract/registry-layout.js';
import type { Registry } from '../contract/registry.js';
import type { Slot } from '../contract/slots.js';
import type { LoopMonitor } from '../detection/loop-monitor.js';
import type { MeasuredCollections } from '../probe/gc-meter.js';
import type { BusyRecorder } from '../probe/probe.js';
import { BusyTime, type BusyMoment } from './busy-time.js';
import { currentBusyQuestion } from './current-question.js';
import { debuggerStarts, suspensions } from './judge-input.js';
import type { OwnWork } from './own-work.js';
import { mapStack } from './source-map.js';
import type { Subscribers } from './subscribers.js';

export interface ThreadBusyTimeOptions {
  readonly registry: Registry;
  readonly slot: Slot | undefined;
  readonly loop: LoopMonitor;
  readonly subscribers: Subscribers;
  readonly threadName: string;
  readonly readThreadTimes: () => ThreadTimes | undefined;
  readonly measuredGc: () => MeasuredCollections;
  /** When start-up ended, and how long the loop had been busy until then; undefined while it lasts. */
  readonly startUpEnd: () => BusyMoment | undefined;
  readonly sdkStart: () => Interval | undefined;
  readonly ownWork: OwnWork;
  /** Breakpoints, and what else the judgement has found to be no work of the application. */
  readonly excluded: () => readonly Interval[];
}

/** The time of this thread's loop: takes the answers of the probe, and reports to the subscribers that want it. */
export class ThreadBusyTime {
  readonly #subscribers: Subscribers;
  readonly #time: BusyTime;
  /** For the probe. */
  readonly recorder: BusyRecorder;

  constructor(options: ThreadBusyTimeOptions) {
    const { registry, slot, loop, subscribers, threadName, readThreadTimes, startUpEnd, sdkStart, excluded } = options;
    this.#subscribers = subscribers;
    this.#time = new BusyTime({
      now: threadClock.now,
      busyMs: () => loop.busyMs(),
      runQueueMs: () => readThreadTimes()?.runQueueMs,
      measuredGc: options.measuredGc,
      ownWork: options.ownWork,
      startUpEnd,
      excluded: () => [
        ...suspensions(registry),
        ...debuggerStarts(slot),
        ...excluded(),
        ...[sdkStart()].filter((start) => start !== undefined),
      ],
      mapStack,
      threadId,
      threadName,
      onWindow: (window) => {
        subscribers.each((subscriber) => {
          if (subscriber.busySamplesPerSecond > 0) subscriber.onBusyWindow(window);
        });
      },
    });
    this.recorder = {
      takeArrivals: () => slot?.takeInt(SlotInt.arrivals) ?? 0,
      question: () => currentBusyQuestion(slot),
      add: (answer) => {
        // Where the system does not show that the thread polls, it may have been idle.
        const mayBeIdle = answer.frames.length === 0 && slot?.getInt(SlotInt.pollDescriptor) === -1;
        const perSecond = slot?.getTime(SlotTime.arrivalsPerSecond) ?? 1;
        if (!mayBeIdle) this.#time.add({ ...answer, weightMs: (answer.arrivals * 1000) / perSecond });
      },
      onAnswered: (ms) => slot?.setTime(SlotTime.busyAnswerMs, ms),
    };
  }

  /** Records a busy period that may be a block. The loop was idle for `lostIdleMs` before it, although its clock says otherwise. */
  addPeriod({ start, end }: Interval, lostIdleMs: number, isStartUp: boolean): void {
    this.#time.lose(lostIdleMs);
    if (!isStartUp && this.#isWanted) this.#time.addPeriod(start, end);
  }

  /** Reports where a second is over. All busy periods that ended before `periodStart` are known. */
  beat(periodStart: number): void {
    if (this.#isWanted) this.#time.beat(periodStart);
  }

  flush(): void {
    if (this.#isWanted) this.#time.flush();
  }

  get #isWanted(): boolean {
    return this.#subscribers.some(({ busySamplesPerSecond }) => busySamplesPerSecond > 0);
  }
}
