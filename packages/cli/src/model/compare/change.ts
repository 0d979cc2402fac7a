import { formatMs, formatShare } from '../text/format.js';

/** A smaller change of the blocked time of a run counts as none, however certain it is. */
export const MIN_CHANGE = 0.1;
export const MIN_CHANGE_MS = 10;

/** Factors of the blocked time up to which a change is small, and up to which it is of medium size. */
export const CHANGE_STEPS = [1.5, 3] as const;

/** Blocked time of a run in both builds, ms. */
export interface BeforeAfter {
  readonly baseMs: number;
  readonly headMs: number;
}

export type ChangeLevel = 'same' | `${'more' | 'less'}-${1 | 2 | 3}`;

/** Whether the difference is too small to be a change. */
export function isSame({ baseMs, headMs }: BeforeAfter): boolean {
  const difference = Math.abs(headMs - baseMs);
  return difference < MIN_CHANGE * baseMs || difference < MIN_CHANGE_MS;
}

/** Direction and size of a change: `more-3` is more than `CHANGE_STEPS[1]` times as much, or only in head. */
export function changeLevel(times: BeforeAfter): ChangeLevel {
  if (isSame(times)) return 'same';
  const { baseMs, headMs } = times;
  const factor = Math.max(baseMs, headMs) / Math.min(baseMs, headMs);
  const step = factor <= CHANGE_STEPS[0] ? 1 : factor <= CHANGE_STEPS[1] ? 2 : 3;
  return `${headMs > baseMs ? 'more' : 'less'}-${step}`;
}

/** `+300 ms`, `−1.20 s` */
export function signedMs({ baseMs, headMs }: BeforeAfter): string {
  const difference = headMs - baseMs;
  if (difference === 0) return formatMs(0);
  return `${difference > 0 ? '+' : '−'}${formatMs(Math.abs(difference))}`;
}

/** `+200 %`, `−45 %`; `only after` and `only before` where one of the builds has none. */
export function signedShare({ baseMs, headMs }: BeforeAfter): string {
  if (baseMs === headMs) return formatShare(0);
  if (baseMs === 0) return 'only after';
  if (headMs === 0) return 'only before';
  return `${headMs > baseMs ? '+' : '−'}${formatShare(Math.abs(headMs - baseMs) / baseMs)}`;
}
