import { setImmediate } from 'node:timers/promises';

import type { DecodedMetric, SpanGroup } from './decoded.js';

/*
 * A request of 20 MB has tens of thousands of entries. It is stored in pieces, and between two of them other requests
 * have their turn.
 */

/** Spans, points, and groups of them: a few milliseconds of work. */
const PIECE_SIZE = 250;

/** The same spans in smaller groups, in order. */
export function* piecesOfSpans(groups: Iterable<SpanGroup>): Generator<SpanGroup[]> {
  yield* piecesOf(
    groups,
    ({ spans }) => spans,
    (group, spans) => ({ ...group, spans }),
  );
}

/** The same points in smaller metrics, in order. */
export function* piecesOfMetrics(metrics: Iterable<DecodedMetric>): Generator<DecodedMetric[]> {
  yield* piecesOf(
    metrics,
    ({ points }) => points,
    (metric, points) => ({ ...metric, points }),
  );
}

function* piecesOf<T, I>(
  items: Iterable<T>,
  entriesOf: (item: T) => readonly I[],
  withEntries: (item: T, entries: I[]) => T,
): Generator<T[]> {
  let piece: T[] = [];
  let size = 0;
  for (const item of items) {
    const entries = entriesOf(item);
    // An item without entries counts, too: its resource may be a new instance.
    for (let start = 0; start === 0 || start < entries.length; start += PIECE_SIZE) {
      const part = entries.slice(start, start + PIECE_SIZE);
      piece.push(withEntries(item, part));
      size += 1 + part.length;
      if (size < PIECE_SIZE) continue;
      yield piece;
      piece = [];
      size = 0;
    }
  }
  if (piece.length > 0) yield piece;
}

/** Stores one piece after the other, with time for other work between them. */
export async function inPieces<T>(pieces: Iterable<T>, store: (piece: T) => void): Promise<void> {
  let isFirst = true;
  for (const piece of pieces) {
    if (!isFirst) await setImmediate();
    isFirst = false;
    store(piece);
  }
}

/** Runs one task after the other, in the order of the calls. */
export function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
