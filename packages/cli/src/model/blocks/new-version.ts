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
 * Returns a function that finds the version in which a culprit is new. It is new if it blocks in the newest version of its
 * service and in none before, and these were watched for so long that chance does not explain it. Undefined if it is not
 * new, if only one version is known, or if the time does not suffice. Blocks, lag and instances are divided once: their
 * number and that of the culprits come from the network.
 */
export function newVersionLookup(data: VersionedData): (culprit: string) => string | undefined {
  let divided: DividedData | undefined;
  return (culprit) => {
    divided ??= divide(data);
    return newVersionOfBlocks(divided.byName.get(divided.names.get(culprit) ?? '') ?? [], divided);
  };
}

interface DividedData {
  readonly names: ReadonlyMap<string, string>;
  readonly byName: ReadonlyMap<string, readonly Block[]>;
  readonly byId: ReadonlyMap<string, Instance>;
  /** The versions of a service that has several, and how long each was watched. */
  readonly watchedOf: (service: string) => ReadonlyMap<string, Watched> | undefined;
}

interface Watched {
  readonly fromMs: number;
  readonly ms: number;
}

function divide({ instances, lag, blocks, droppedBlocks }: VersionedData): DividedData {
  const completeFromMs =
    droppedBlocks > 0 ? blocks.reduce((first, { startMs }) => Math.min(first, startMs), Infinity) : 0;
  const byService = groupBy(
    instances.filter(({ version }) => version !== undefined),
    ({ service }) => service,
  );
  const watched = new Map<string, ReadonlyMap<string, Watched>>();
  let lagByInstance: ReadonlyMap<string, readonly LagPoint[]> | undefined;
  return {
    names: new Map(blocks.map((block) => [culpritKey(block), culpritName(block)])),
    byName: groupBy(blocks, culpritName),
    byId: new Map(instances.map((instance) => [instance.id, instance])),
    watchedOf: (service) => {
      const known = watched.get(service);
      if (known) return known;
      const own = byService.get(service) ?? [];
      // Most services have one version. The page asks for each culprit.
      if (own.every(({ version }) => version === own[0]!.version)) return undefined;
      lagByInstance ??= groupBy(lag, (point) => point.instance);
      const versions = new Map<string, Watched>();
      for (const { id, version = '' } of own) {
        const points = (lagByInstance.get(id) ?? []).filter((point) => point.endMs > completeFromMs);
        versions.set(version, join(versions.get(version), watchedIn(points, completeFromMs)));
      }
      watched.set(service, versions);
      return versions;
    },
  };
}

function newVersionOfBlocks(own: readonly Block[], { byId, watchedOf }: DividedData): string | undefined {
  const suspect = byId.get(own[0]?.instance ?? '');
  if (suspect?.version === undefined) return undefined;
  const { service, version } = suspect;
  const watched = watchedOf(service);
  const newest = watched?.get(version);
  if (!watched || !newest || newest.ms === 0) return undefined;
  const isOfSuspect = (id: string): boolean => {
    const instance = byId.get(id);
    return instance?.service === service && instance.version === version;
  };
  if (!own.every((block) => isOfSuspect(block.instance))) return undefined;

  const earlierMs = [...watched.values()]
    .filter(({ fromMs }) => fromMs < newest.fromMs)
    .reduce((total, { ms }) => total + ms, 0);
  // Of blocks that are equally likely at any time, all fall into the newest version's share with this probability.
  const chance = (newest.ms / (newest.ms + earlierMs)) ** own.length;
  return chance <= LEVEL ? version : undefined;
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
