import { kindOf, standsAtEntry } from '../contract/frames.js';
import type { Frame } from '../contract/model.js';

/** Files of Node that run the callbacks of timers, ticks and promises one after the other, each in its own context. */
const SCHEDULERS = [
  'node:internal/timers',
  'node:internal/process/',
  'node:async_hooks',
  'node:internal/async_hooks',
  'node:internal/async_local_storage/',
  'node:internal/async_context_frame',
];

/**
 * Whether V8 has answered in a function of Node that began before the call from which it returned: V8 also answers at
 * the entry of each function, so that it would have answered there otherwise.
 */
export function isInNode(frames: readonly Frame[]): boolean {
  const running = runningFrame(frames);
  if (running === undefined || isScheduler(running) || running.isAsync) return false;
  return kindOf(running) === 'internal' && running.lineNumber > running.functionLineNumber;
}

/**
 * Whether V8 has answered at a place of Node that shows nothing of what ran before: at the entry of a function, or
 * between two callbacks.
 */
export function isBetweenCallbacks(frames: readonly Frame[]): boolean {
  const running = runningFrame(frames);
  return running !== undefined && kindOf(running) === 'internal' && (isScheduler(running) || standsAtEntry(running));
}

/** A builtin of V8 need not be the one that ran before. */
function runningFrame(frames: readonly Frame[]): Frame | undefined {
  return frames.find((frame) => kindOf(frame) !== 'builtin');
}

/** Whether the frame is of code that runs callbacks: it is below all that they do. */
export function isScheduler({ fileName }: Frame): boolean {
  return SCHEDULERS.some((file) => fileName.startsWith(file));
}
