import { SpanKind } from '@opentelemetry/api';
import { Map } from '../contract/built-ins.js';
import { printable } from '../contract/printable.js';
import { nameOfSpan } from './request-name.js';
import { safely } from './safely.js';
import type { TrackedSpan } from './tracked-span.js';

/** A request that is open for longer, ms, is a stream of events rather than one that waits for the pool. */
const MAX_AGE_MS = 10_000;
const MAX_READ = 2000;
const MAX_NAMES = 3;

/** Names of the SERVER and CONSUMER spans that are open and not old, in the order in which they were started. */
export function openRequestNames(openSpans: Iterable<Iterable<TrackedSpan>>, now: number): string[] {
  const names: string[] = [];
  for (const spans of openSpans) {
    for (const { span, startedAt } of spans) {
      if (names.length === MAX_READ) return names;
      if (now - startedAt > MAX_AGE_MS || (span.kind !== SpanKind.SERVER && span.kind !== SpanKind.CONSUMER)) continue;
      const name = safely(() => nameOfSpan(span), undefined);
      if (name !== undefined) names[names.length] = name;
    }
  }
  return names;
}

/**
 * The most frequent ones as `name×N`, in the order of the names: what was there first rather holds the pool than what came
 * when it was full. None where no name has at least half of them: they then say nothing.
 */
export function frequentNames(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_NAMES);
  if ((frequent[0]?.[1] ?? 0) * 2 < names.length) return [];
  return [...counts]
    .filter((entry) => frequent.some(([name]) => name === entry[0]))
    .map(([name, count]) => `${printable(name)}×${count}`);
}
