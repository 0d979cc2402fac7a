import process from 'node:process';
import { workerData } from 'node:worker_threads';
import { sharedNow } from '../clock.js';
import { Header, Registry, SlotInt, SlotTime, type Slot } from '../registry.js';
import { openSchedstat } from '../thread-times.js';
import { GapFinder } from './gaps.js';
import { sampleInterval } from './pace.js';
import { askThread } from './session.js';

/**
 * The watchdog thread: sleeps, looks at every thread's beat, and asks those that are late who they are. Loads nothing but
 * Node's own modules; bundled into the package as text.
 */

const { registryBuffer, probe } = workerData as { registryBuffer: SharedArrayBuffer; probe: string };
const registry = new Registry(registryBuffer);
const gaps = new GapFinder(openSchedstat('thread-self'));

/** How long it sleeps at the most, while no thread is there to be looked at. */
const MAX_SLEEP_MS = 200;
/** How short it sleeps at the least, while all threads are well. */
const MIN_SLEEP_MS = 5;

/** How long it stays when nobody is left to watch. */
const ALONE_MS = 500;

const SAMPLE = `globalThis[Symbol.for(${JSON.stringify(probe)})]?.()`;

interface Asking {
  /** The turn that was late. */
  readonly tickAt: number;
  askedAt: number;
  isPending: boolean;
}

const asked = new Map<number, Asking>();
let lastGapEnd = 0;
let lastLiveAt = sharedNow();

function look(wantedAt: number): void {
  const now = sharedNow();
  const gapStart = gaps.afterSleep(wantedAt, now);
  if (gapStart !== undefined) {
    registry.addGap(gapStart, now);
    lastGapEnd = now;
  }
  let wakeAt = now + MAX_SLEEP_MS;
  let isAnyLate = false;
  let isAnyLive = false;
  for (const slot of registry.live()) {
    isAnyLive = true;
    const tickAt = slot.getTime(SlotTime.tickAt);
    if (tickAt === 0) continue;
    const since = Math.max(tickAt, lastGapEnd);
    const lateAt = since + slot.getTime(SlotTime.suspectAfterMs);
    if (now < lateAt) {
      wakeAt = Math.min(wakeAt, lateAt);
      continue;
    }
    isAnyLate = true;
    wakeAt = Math.min(wakeAt, sampleWhenDue(slot, tickAt, now, now - since));
  }
  if (isAnyLive) lastLiveAt = now;
  else if (now - lastLiveAt > ALONE_MS) process.exit(); // of this thread
  sleepUntil(wakeAt, isAnyLate);
}

/** Asks the late thread when its next sample is due; returns when to look again. */
function sampleWhenDue(slot: Slot, tickAt: number, now: number, ageMs: number): number {
  const intervalMs = sampleInterval(ageMs, slot.getTime(SlotTime.sampleIntervalMs));
  let state = asked.get(slot.index);
  if (state?.tickAt !== tickAt && state?.isPending !== true) {
    state = { tickAt, askedAt: -Infinity, isPending: false };
    asked.set(slot.index, state);
  }
  if (state === undefined || state.isPending) return now + intervalMs;
  if (now - state.askedAt >= intervalMs) {
    const asking = state;
    asking.askedAt = now;
    asking.isPending = true;
    slot.setTime(SlotTime.requestedAt, now);
    askThread(registry, slot.getInt(SlotInt.threadId), SAMPLE, () => {
      asking.isPending = false;
    });
  }
  return state.askedAt + intervalMs;
}

function sleepUntil(wakeAt: number, isAnyLate: boolean): void {
  gaps.beforeSleep();
  const ms = wakeAt - sharedNow();
  if (isAnyLate) {
    // Answers come by the event loop.
    setTimeout(look, Math.max(1, ms), sharedNow() + Math.max(1, ms));
    return;
  }
  // A futex costs a third of what a timer costs, and this is where the watchdog spends its life.
  const sleepMs = Math.max(MIN_SLEEP_MS, ms);
  const wantedAt = sharedNow() + sleepMs;
  const wake = Atomics.load(registry.ints, Header.wake);
  const woken = Atomics.wait(registry.ints, Header.wake, wake, sleepMs) !== 'timed-out';
  setImmediate(look, woken ? sharedNow() : wantedAt);
}

look(sharedNow());
