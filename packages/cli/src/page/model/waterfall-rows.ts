import { groupBy } from '../../model/collections.js';
import type { TraceSpan } from '../../model/types.js';

/** A span and its depth in the waterfall. */
export interface WaterfallRow {
  readonly span: TraceSpan;
  readonly depth: number;
}

/** The spans as a tree in order, children below their parent by start. A span whose parent is missing is a root. */
export function waterfallRows(spans: readonly TraceSpan[]): WaterfallRow[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const byStart = [...spans].sort((a, b) => a.startMs - b.startMs);
  const children = groupBy(byStart, ({ parentSpanId = '' }) => (ids.has(parentSpanId) ? parentSpanId : ''));
  const rows: WaterfallRow[] = [];
  const seen = new Set<string>();
  const visit = (parent: string, depth: number): void => {
    for (const span of children.get(parent) ?? []) {
      if (seen.has(span.spanId)) continue;
      seen.add(span.spanId);
      rows.push({ span, depth });
      visit(span.spanId, depth + 1);
    }
  };
  visit('', 0);
  return rows;
}
