import type { BlockFilter } from '../../model/blocks/filter.js';
import { withoutUndefined } from '../../model/collections.js';
import { CAUSES } from '../../model/types.js';

/** What the page shows: everything that its address keeps. A selected culprit shows that culprit's page. */
export interface ViewState {
  readonly filter: BlockFilter;
  /** The last ms; absent for all data. */
  readonly windowMs?: number;
  /** Id of the block whose dialog is open. */
  readonly block?: string;
  /** Tables that are not in their first order: the name of a column, after `-` where the highest value is on top. */
  readonly order?: Readonly<Partial<Record<SortedTable, string>>>;
  readonly flame?: FlameState;
}

const SORTED_TABLES = ['culprits', 'blocks', 'compared'] as const;
export type SortedTable = (typeof SORTED_TABLES)[number];

/** What the flame graph of the page shows; an absent field is as at first. */
export interface FlameState {
  /** Path of the frame that fills the width. */
  readonly zoom?: string | undefined;
  /** Path of the frame that is described, if it is not the one that fills the width. */
  readonly frame?: string | undefined;
  /** Functions whose name or place contains this text are marked. */
  readonly search?: string | undefined;
  readonly isReversed?: boolean;
  readonly showsCallers?: boolean;
  /** In a comparison: frames have the width of the old build. */
  readonly isSizedByBase?: boolean;
}

const TEXT_FIELDS = ['service', 'instance', 'culprit', 'text'] as const;
/** In the field `flame` of the address. */
const FLAME_FLAGS = { reversed: 'isReversed', callers: 'showsCallers', before: 'isSizedByBase' } as const;
const ORDER = /^-?[a-z]+$/;

/**
 * The state as the fragment of an address, without `#`; empty for the first view. A fragment and no query: it also works
 * in a report that is opened from the disk, and no server sees it.
 */
export function formatView({ filter, windowMs, block, order = {}, flame = {} }: ViewState): string {
  const { fromMs, toMs, ...texts } = filter;
  const flags = Object.entries(FLAME_FLAGS).flatMap(([name, field]) => (flame[field] === true ? [name] : []));
  const fields = {
    ...texts,
    from: fromMs === undefined ? undefined : String(Math.round(fromMs)),
    to: toMs === undefined ? undefined : String(Math.round(toMs)),
    window: windowMs === undefined ? undefined : String(windowMs),
    block,
    ...Object.fromEntries(SORTED_TABLES.map((table) => [orderField(table), order[table]])),
    flame: flags.length > 0 ? flags.join('.') : undefined,
    zoom: flame.zoom,
    frame: flame.frame,
    search: flame.search,
  };
  return new URLSearchParams(withoutUndefined(fields) as Record<string, string>).toString();
}

/** Reads a fragment, with or without `#`. What it does not know, or what is no valid value, is ignored. */
export function parseView(fragment: string): ViewState {
  const params = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string): string | undefined => params.get(name) ?? undefined;
  const ms = (name: string): number | undefined => {
    const value = Number(params.get(name) ?? NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  const cause = CAUSES.find((known) => known === params.get('cause'));
  const [windowMs, block] = [ms('window'), text('block')];
  const orders = SORTED_TABLES.map((table) => [table, text(orderField(table))] as const);
  const order = Object.fromEntries(orders.filter(([, value = '']) => ORDER.test(value)));
  const flags = text('flame')?.split('.') ?? [];
  const flame = withoutUndefined({
    ...Object.fromEntries(
      Object.entries(FLAME_FLAGS).map(([name, field]) => [field, flags.includes(name) || undefined]),
    ),
    zoom: text('zoom'),
    frame: text('frame'),
    search: text('search'),
  });
  return {
    filter: withoutUndefined({
      ...Object.fromEntries(TEXT_FIELDS.map((name) => [name, text(name)])),
      cause,
      fromMs: ms('from'),
      toMs: ms('to'),
    }),
    ...(windowMs !== undefined && windowMs > 0 && { windowMs }),
    ...(block !== undefined && { block }),
    ...(Object.keys(order).length > 0 && { order }),
    ...(Object.keys(flame).length > 0 && { flame }),
  };
}

function orderField(table: SortedTable): string {
  return `sort-${table}`;
}

/** Address of the culprit's page, with the other fields of the filter. */
export function culpritHref(view: ViewState, culprit: string | undefined): string {
  const { culprit: _old, ...filter } = view.filter;
  const { block: _block, ...rest } = withoutFrames(view);
  return `#${formatView({ ...rest, filter: withoutUndefined({ ...filter, culprit }) })}`;
}

/** The page of another culprit has other frames in its flame graph. */
export function withoutFrames({ flame, ...view }: ViewState): ViewState {
  const { zoom: _zoom, frame: _frame, ...rest } = flame ?? {};
  return flame ? { ...view, flame: rest } : view;
}
