import { Reflect, Set } from '../contract/built-ins.js';
import type { OpenSpans } from './open-spans.js';

const OPEN_SPANS_SYMBOL = Symbol.for('loopwatch.open-spans.2');

/**
 * The open spans of all span processors of the thread, to which delays are attributed. All copies of the package share
 * it; on a frozen `globalThis` each copy has its own.
 */
export const threadOpenSpans: Set<OpenSpans> = findOrPublish();

function findOrPublish(): Set<OpenSpans> {
  const existing = Reflect.get(globalThis, OPEN_SPANS_SYMBOL) as Set<OpenSpans> | undefined;
  if (existing) return existing;
  const created = new Set<OpenSpans>();
  Reflect.defineProperty(globalThis, OPEN_SPANS_SYMBOL, { value: created, configurable: true, enumerable: false });
  return created;
}
