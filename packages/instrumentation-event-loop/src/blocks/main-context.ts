import type { ContextSpell } from '../contract/model.js';
import type { InfoOf } from './context-spells.js';

/**
 * The context in which most of the block was spent: of the request that took longest, the span that took longest, and of
 * that span the context that took longest. Time outside of any span counts as one request. Undefined without spells, and
 * where one call of an unknown context took longer than that request, `unknownMs`: its callback had returned when V8
 * answered, in the next one.
 */
export function mainContext(spells: readonly ContextSpell[], infoOf: InfoOf, unknownMs = 0): unknown {
  const informed = spells.map((spell) => ({ spell, info: infoOf(spell.context) }));
  const ofRequest = heaviestGroup(informed, ({ info }) => info.request);
  if (ofRequest.reduce((sumMs, { spell }) => sumMs + spell.end - spell.start, 0) < unknownMs) return undefined;
  const ofSpan = heaviestGroup(ofRequest, ({ info }) => info.span);
  return heaviestGroup(ofSpan, ({ spell }) => spell.context)[0]?.spell.context;
}

/** The entries with the key that took longest; the first of them where several took equally long. */
function heaviestGroup<T extends { readonly spell: ContextSpell }>(
  entries: readonly T[],
  keyOf: (entry: T) => unknown,
): readonly T[] {
  const groups = new Map<unknown, { entries: T[]; ms: number }>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry)) ?? { entries: [], ms: 0 };
    group.entries.push(entry);
    group.ms += entry.spell.end - entry.spell.start;
    groups.set(keyOf(entry), group);
  }
  let heaviest: { readonly entries: readonly T[]; readonly ms: number } = { entries: [], ms: -1 };
  for (const group of groups.values()) if (group.ms > heaviest.ms) heaviest = group;
  return heaviest.entries;
}
