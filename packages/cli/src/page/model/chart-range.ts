import type { BlockRow, PageState } from '../../model/live/page.js';
import type { TimeRange } from '../../model/time-range.js';
import type { ViewState } from './view-state.js';

/** Start of the time range that follows the current time, as a filter; empty if the page shows no such range. */
export function windowStart({ windowMs }: ViewState, nowMs: number): { readonly fromMs?: number } {
  return windowMs === undefined ? {} : { fromMs: nowMs - windowMs };
}

/** The time that the chart shows: the selected range, else the window, else all. */
export function chartRange(view: ViewState, state: PageState, blocks: readonly BlockRow[], nowMs: number): TimeRange {
  const { fromMs = windowStart(view, nowMs).fromMs ?? state.startedMs, toMs } = view.filter;
  // A block of an instance whose clock is ahead would be to the right of the chart.
  const newestMs = blocks.reduce((newest, { startMs, durationMs }) => Math.max(newest, startMs + durationMs), nowMs);
  return { fromMs, toMs: Math.max(toMs ?? newestMs, fromMs + 1) };
}
