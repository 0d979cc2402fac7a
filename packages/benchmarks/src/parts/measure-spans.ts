import { median } from '@loopwatch/test-support';

import type { Estimate } from '../statistics/estimate.ts';
import { estimateShift } from '../statistics/signed-rank.ts';
import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

export interface SpanSettings {
  readonly processes: number;
  /** Pairs of batches per process and kind of span: one batch with the processor and one without it. */
  readonly pairs: number;
}

/** What `EventLoopSpanProcessor` adds to one kind of span. */
export interface SpanSummary {
  readonly kind: string;
  /** CPU per span without the processor. */
  readonly nanoseconds: number;
  readonly added: Estimate;
}

/** A line that `subjects/spans.cjs` prints: ns of CPU per span. */
interface SpanBatches {
  readonly kind: string;
  readonly pairs: readonly { readonly with: number; readonly without: number }[];
}

const KINDS = 3;

export async function measureSpans(
  platform: Platform,
  { processes, pairs }: SpanSettings,
  onProgress: (text: string) => void,
): Promise<SpanSummary[]> {
  const batches: SpanBatches[] = [];
  for (let count = 1; count <= processes; count++) {
    onProgress(`the span processor: process ${count} of ${processes}`);
    const subject = new Subject(platform, { program: 'spans.cjs', args: [String(pairs)], timeoutMs: 120_000 });
    try {
      for (let kind = 0; kind < KINDS; kind++) batches.push(await subject.nextMessage<SpanBatches>());
    } finally {
      await subject.stop();
    }
  }
  return summarizeSpans(batches);
}

export function summarizeSpans(batches: readonly SpanBatches[]): SpanSummary[] {
  return [...new Set(batches.map(({ kind }) => kind))].map((kind) => {
    const pairs = batches.filter((batch) => batch.kind === kind).flatMap((batch) => batch.pairs);
    return {
      kind,
      nanoseconds: median(pairs.map(({ without }) => without)),
      added: estimateShift(pairs.map((pair) => pair.with - pair.without)),
    };
  });
}
