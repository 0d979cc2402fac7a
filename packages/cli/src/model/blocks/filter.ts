import type { TimeRange } from '../time-range.js';
import type { Block, Cause, Instance } from '../types.js';
import { culpritKey } from './culprits.js';

/** Selects blocks; absent fields do not restrict. */
export interface BlockFilter {
  readonly service?: string;
  readonly instance?: string;
  readonly cause?: Cause;
  readonly culprit?: string;
  /** Epoch, ms. */
  readonly fromMs?: number;
  /** Epoch, ms. */
  readonly toMs?: number;
  /** Part of a function, file, request, async resource or thread name; case is ignored. */
  readonly text?: string;
}

/** Fields to set; undefined removes a field. */
export type FilterChange = { [K in keyof BlockFilter]?: BlockFilter[K] | undefined };

export function filterBlocks<T extends Block>(
  blocks: Iterable<T>,
  filter: BlockFilter,
  instances: ReadonlyMap<string, Instance>,
): T[] {
  const text = filter.text?.trim().toLowerCase() ?? '';
  return [...blocks].filter(
    (block) =>
      matchesInstance(filter, block.instance, instances) &&
      (filter.cause === undefined || block.cause === filter.cause) &&
      (filter.fromMs === undefined || block.startMs + block.durationMs >= filter.fromMs) &&
      (filter.toMs === undefined || block.startMs <= filter.toMs) &&
      (filter.culprit === undefined || culpritKey(block) === filter.culprit) &&
      (text === '' || textOf(block).includes(text)),
  );
}

/** Whether the filter leaves what an instance has reported. */
export function matchesInstance(
  { instance, service }: BlockFilter,
  id: string,
  instances: ReadonlyMap<string, Instance>,
): boolean {
  return (
    (instance === undefined || id === instance) && (service === undefined || instances.get(id)?.service === service)
  );
}

/** The range that the filter selects; undefined if it does not restrict the time. */
export function rangeOf({ fromMs, toMs }: BlockFilter): TimeRange | undefined {
  if (fromMs === undefined && toMs === undefined) return undefined;
  return { fromMs: fromMs ?? -Infinity, toMs: toMs ?? Infinity };
}

function textOf(block: Block): string {
  const { culprit, request, asyncResource, threadName } = block;
  return [culprit?.functionName, culprit?.filePath, request, asyncResource, threadName].join('\n').toLowerCase();
}
