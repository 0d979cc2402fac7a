import { groupBy, largest } from '../collections.js';
import type { Block, Instance, LagPoint } from '../types.js';
import { culpritKey, culpritName } from './culprits.js';

/** What is known of the instances of several versions. */
export interface VersionedData {
  readonly instances: readonly Instance[];
  readonly lag: readonly LagPoint[];
  readonly blocks: readonly Block[];
  /** Number of blocks that were evicted by a limit: before the first that is left, they are missing. */
  readonly droppedBlocks: number;
}

/** At most this probability that a function of all versions blocked only in the newest one by chance. */
const LEVEL = 0.01;

/**
 * The version in which a culprit is new: it blocks in the newest version of its service and in none of
 * those before, although these were watched for so long that chance does not explain it. Undefined if it is not new, if
 * only one version is known, or if the time does not suffice to tell.
 */
export function newVersionOf(culprit: string, data: VersionedData): string | undefined {
  return newVersionLookup(data)(culprit);
}

/** The same for any number of culprits of the data: blocks and lag are divided once. */
export function newVersionLookup(data: VersionedData): (culprit: string) => string | undefined {
  let names: ReadonlyMap<string, string> | undefined;
  let byName: ReadonlyMap<string, readonly Block[]> | undefined;
  let lagByInstance: ReadonlyMap<string, readonly LagPoint[]> | undefined;
  return (culprit) => {
    names ??= new Map(data.blocks.map((block) => [culpritKey(block), culpritName(block)]));
    byName ??= groupBy(data.blocks, culpritName);
    return newVersionOfBlocks(byName.get(names.get(culprit) ?? '') ?? [], data, (instance) => {
      lagByInstance ??= groupBy(data.lag, (point) => point.instance);
      return lagByInstance.get(instance);
    });
  };
}

function newVersionOfBlocks(
  own: readonly Block[],
  { instances, blocks, droppedBlocks }: VersionedData,
  lagOf: (instance: string) => readonly LagPoint[] | undefined,
): string | undefined {
  const byId = new Map(instances.map((instance) => [instance.id, instance]));
  const suspect = byId.get(own[0]?.instance ?? '');
  if (suspect?.version === undefined) return undefined;
  const { service, version } = suspect;
  // Most services have one version. The page asks for each culprit.
  if (!instances.some((other) => other.service === service && (other.version ?? version) !== version)) return undefined;
  const isOfSuspect = (id: string): boolean => {
    const instance = byId.get(id);
    return instance?.service === service && instance.version === version;
  };
  if (!own.every((block) => isOfSuspect(block.instance))) return undefined;

  const completeFromMs =
    droppedBlocks > 0 ? blocks.reduce((first, { startMs }) => Math.min(first, startMs), Infinity) : 0;
  const watched = new Map<string, Watched>();
  for (const instance of instances) {
    if (instance.service !== service || instance.version === undefined) continue;
    const points = (lagOf(instance.id) ?? []).filter((point) => point.endMs > completeFromMs);
    watched.set(instance.version, join(watched.get(instance.version), watchedIn(points, completeFromMs)));
  }
  const newest = watched.get(version);
  if (!newest || newest.ms === 0) return undefined;
  const earlierMs = [...watched.values()]
    .filter(({ fromMs }) => fromMs < newest.fromMs)
    .reduce((total, { ms }) => total + ms, 0);
  // Of blocks that are equally likely at any time, all fall into the newest version's share with this probability.
  const chance = (newest.ms / (newest.ms + earlierMs)) ** own.length;
  return chance <= LEVEL ? version : undefined;
}

interface Watched {
  readonly fromMs: number;
  readonly ms: number;
}

function join(a: Watched | undefined, b: Watched): Watched {
  return a ? { fromMs: Math.min(a.fromMs, b.fromMs), ms: a.ms + b.ms } : b;
}

/** How long an instance was watched: the longest of its threads, of which each has lag points. */
function watchedIn(points: readonly LagPoint[], completeFromMs: number): Watched {
  const byThread = new Map<string, number>();
  let fromMs = Infinity;
  for (const { threadName, startMs, endMs } of points) {
    const start = Math.max(startMs, completeFromMs);
    fromMs = Math.min(fromMs, start);
    byThread.set(threadName, (byThread.get(threadName) ?? 0) + endMs - start);
  }
  return { fromMs, ms: largest(byThread.values(), 0) };
}
