import { groupBy } from '../collections.js';
import { formatMs, plural } from '../text/format.js';
import { endOf, overlapMs } from '../time-range.js';
import type { Block, Victim, VictimSummary } from '../types.js';

/** Victims of one name, the one that waited longest first. */
export interface VictimGroup {
  readonly name: string;
  readonly count: number;
  /** All of them, or the first. */
  readonly victims: readonly Victim[];
  readonly longestMs: number;
}

/**
 * A victim with its wait for this block. The span's attribute is the sum over all blocks that delayed it: the wait for one
 * of them is at most the time that both have in common.
 */
export function victimOf(block: Pick<Block, 'startMs' | 'durationMs' | 'excludedMs'>, victim: Victim): Victim {
  const { startMs, endMs } = victim;
  const sharedMs =
    startMs === undefined || endMs === undefined
      ? block.durationMs
      : Math.min(block.durationMs, overlapMs(startMs, endMs, block.startMs, endOf(block)));
  return victim.waitMs === undefined ? victim : { ...victim, waitMs: Math.min(victim.waitMs, sharedMs) };
}

/** The victims by name, the group that waited longest first. */
export function groupVictims(victims: readonly Victim[]): VictimGroup[] {
  return [...groupBy(victims, ({ name }) => name)]
    .map(([name, group]) => ({
      name,
      count: group.length,
      victims: group.sort((a, b) => waitOf(b) - waitOf(a)),
      longestMs: group.reduce((longest, victim) => Math.max(longest, waitOf(victim)), 0),
    }))
    .sort((a, b) => b.longestMs - a.longestMs);
}

/** Victims shown of each group of a culprit, which may have thousands. */
const MAX_OF_GROUP = 25;

/**
 * Who waited for any of several blocks, by name. A span that several of them delayed is there once, with its longest wait
 * for one of them.
 */
export function groupVictimsOfBlocks(victimsByBlock: readonly (readonly Victim[])[]): VictimGroup[] {
  const byId = new Map<string, Victim>();
  for (const victim of victimsByBlock.flat()) {
    const id = `${victim.traceId}/${victim.spanId}`;
    const known = byId.get(id);
    if (!known || waitOf(victim) > waitOf(known)) byId.set(id, victim);
  }
  return groupVictims([...byId.values()]).map((group) => ({ ...group, victims: group.victims.slice(0, MAX_OF_GROUP) }));
}

/** The groups as the victims of one block, for `victimsText`. */
export function summariseGroups(groups: readonly VictimGroup[]): Pick<Block, 'victimCount' | 'victimSummary'> {
  if (groups.length === 0) return {};
  return {
    victimCount: groups.reduce((total, { count }) => total + count, 0),
    victimSummary: {
      nameCount: groups.length,
      longestMs: groups[0]!.longestMs,
      nameKind: nameKindOf(groups.flatMap(({ victims }) => victims)),
    },
  };
}

export function summariseVictims(victims: readonly Victim[]): VictimSummary {
  const groups = groupVictims(victims);
  return {
    nameCount: groups.length,
    longestMs: groups[0]?.longestMs ?? 0,
    nameKind: nameKindOf(victims),
  };
}

/**
 * `125 requests of 5 routes waited, up to 10.4 s`. Without a summary, `125 spans waited`: then not all of them are known.
 * Undefined if there are none.
 */
export function victimsText(block: Pick<Block, 'victimCount' | 'victimSummary'>): string | undefined {
  const { victimCount = 0, victimSummary } = block;
  if (victimCount === 0) return undefined;
  if (!victimSummary) return `${plural(victimCount, 'span')} waited`;
  const { nameKind, nameCount, longestMs } = victimSummary;
  const count = plural(victimCount, nameKind === 'name' ? 'span' : 'request');
  const names = nameCount > 1 ? ` of ${nameCount} ${nameKind}s` : '';
  return `${count}${names} waited${longestMs > 0 ? `, up to ${formatMs(longestMs)}` : ''}`;
}

/** The same for a table's cell: `125, up to 10.4 s`; empty if there are none. */
export function shortVictimsText({ victimCount = 0, victimSummary }: Parameters<typeof victimsText>[0]): string {
  if (victimCount === 0) return '';
  const longestMs = victimSummary?.longestMs ?? 0;
  return `${victimCount}${longestMs > 0 ? `, up to ${formatMs(longestMs)}` : ''}`;
}

function nameKindOf(victims: readonly Victim[]): VictimSummary['nameKind'] {
  if (victims.every(({ nameKind }) => nameKind === 'route')) return 'route';
  return victims.every(({ nameKind }) => nameKind === 'route' || nameKind === 'path') ? 'path' : 'name';
}

function waitOf({ waitMs = 0 }: Victim): number {
  return waitMs;
}
