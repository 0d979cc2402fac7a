import type { Telemetry, TruthRecord } from '@loopwatch/test-support';

import type { Expectation } from '../expectation.ts';
import { covers, judgeCause, judgeCulprit, miss } from '../judge.ts';
import type { Miss } from '../judge.ts';
import type { AttachedBlock } from './attach-cli.ts';

/** Compares what an attached Loopwatch has reported with the expectation. Without a miss, everything is right. */
export function judgeAttached(
  expectation: Expectation,
  { truths }: Pick<Telemetry, 'truths'>,
  blocks: readonly AttachedBlock[],
  directory: string,
): Miss[] {
  if (truths.length === 0) return [miss('span', 'a program that blocks', 'one that recorded no block')];
  return truths.flatMap((truth) => {
    const block = blocks.find(({ startMs, durationMs }) => covers(startMs, startMs + durationMs, truth));
    if (!block) {
      const got = blocks.map(({ startMs, durationMs }) => {
        const from = startMs - truth.startEpochMs;
        return `${from.toFixed(0)}–${(from + durationMs).toFixed(0)} ms`;
      });
      const toMs = (truth.endEpochMs - truth.startEpochMs).toFixed(0);
      return [miss('span', `a block over 0–${toMs} ms`, got.join(', ') || 'none')];
    }
    return [
      ...judgeCulprit(expectation, { ...block.culprit, stackQuality: block.stackQuality }, directory),
      ...judgeCause(expectation, truth, block.cause),
      ...judgeRequest(expectation, truth, block),
    ];
  });
}

/** The span that is active in the block, and the name of the request: that of the server span, else of that span. */
function judgeRequest({ parent, http }: Expectation, truth: TruthRecord, block: AttachedBlock): Miss[] {
  if (parent === 'any') return [];
  const got = `${block.request ?? 'none'} (span ${block.parentSpanId ?? 'none'})`;
  const expected = `${parent} (span ${truth.spanId ?? 'none'})`;
  if (block.parentSpanId !== truth.spanId) return [miss('request', expected, got)];
  if (truth.spanId === undefined) return [];
  const isName = block.request === parent || (http && isServerRequest(block.request ?? '', parent));
  return isName ? [] : [miss('request', expected, got)];
}

const METHOD = /^[A-Z]+$/;

/** `POST /signup` where the active span is the server span `POST`; of any method where it is a span within the request. */
function isServerRequest(request: string, parent: string): boolean {
  const [method = '', path = ''] = request.split(' ');
  return path.startsWith('/') && (METHOD.test(parent) ? method === parent : METHOD.test(method));
}
