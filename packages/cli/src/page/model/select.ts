import { rankCulprits } from '../../model/blocks/culprits.js';
import { type BlockFilter, filterBlocks, matchesInstance, rangeOf } from '../../model/blocks/filter.js';
import { newVersionLookup } from '../../model/blocks/new-version.js';
import { sentencesOf } from '../../model/blocks/sentence.js';
import type { BlockRow, PageState } from '../../model/live/page.js';
import type { InstanceSeen } from '../../model/live/presence.js';
import type { TimeRange } from '../../model/time-range.js';
import type { Culprit, Instance, LagPoint, ThreadInfo } from '../../model/types.js';

/** What the filter leaves of the state. */
export interface Selection {
  readonly filter: BlockFilter;
  readonly range: TimeRange | undefined;
  readonly instances: ReadonlyMap<string, Instance>;
  readonly seen: ReadonlyMap<string, InstanceSeen>;
  readonly blocks: readonly BlockRow[];
  readonly culprits: readonly Culprit[];
  readonly sentences: readonly string[];
  readonly lag: readonly LagPoint[];
  readonly threads: readonly ThreadInfo[];
}

/** Applies the filter to the state. The list of culprits ignores the culprit filter, so that another can be selected. */
export function select(state: PageState, filter: BlockFilter): Selection {
  const instances = new Map(state.instances.map((instance) => [instance.id, instance]));
  const { culprit, ...others } = filter;
  const candidates = filterBlocks(state.blocks, others, instances);
  const matches = ({ instance }: { instance: string }): boolean => matchesInstance(filter, instance, instances);
  const range = rangeOf(filter);
  return {
    filter,
    range,
    instances,
    seen: new Map(state.seen.map((seen) => [seen.instance, seen])),
    blocks: culprit === undefined ? candidates : filterBlocks(candidates, { culprit }, instances),
    culprits: rankCulprits(candidates, range),
    sentences: sentencesOf(candidates, {
      directory: state.directory,
      range,
      culprit,
      // What the filter hides is evidence, too.
      newIn: newVersionLookup(state),
    }),
    lag: state.lag.filter(
      (point) =>
        matches(point) &&
        (filter.fromMs === undefined || point.endMs >= filter.fromMs) &&
        (filter.toMs === undefined || point.startMs <= filter.toMs),
    ),
    threads: state.threads.filter(matches),
  };
}
