import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { withoutUndefined } from '../../src/model/collections.js';
import { CAUSES } from '../../src/model/types.js';
import { culpritHref, formatView, parseView, type ViewState } from '../../src/page/model/view-state.js';

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const text = optional(fc.string({ unit: 'grapheme', minLength: 1 }));
const column = optional(fc.constantFrom('name', '-total', 'longest'));
const flag = optional(fc.constant(true));
const isNotEmpty = (value: object): boolean => Object.keys(value).length > 0;
const ms = optional(fc.integer({ min: 0, max: 4e12 }));

describe('the address of a state', () => {
  test('is empty for the first view', () => {
    expect(formatView({ filter: {} })).toBe('');
    expect(parseView('')).toEqual({ filter: {} });
    expect(parseView('#')).toEqual({ filter: {} });
  });

  test('gives the same state again', () => {
    const states = fc.record({
      filter: fc
        .record({
          service: text,
          instance: text,
          culprit: text,
          text,
          cause: optional(fc.constantFrom(...CAUSES)),
          fromMs: ms,
          toMs: ms,
        })
        .map((filter) => withoutUndefined(filter)),
      windowMs: optional(fc.integer({ min: 1, max: 4e12 })),
      block: text,
      order: optional(
        fc
          .record({ culprits: column, blocks: column, compared: column })
          .map((order) => withoutUndefined(order))
          .filter(isNotEmpty),
      ),
      flame: optional(
        fc
          .record({ zoom: text, frame: text, search: text, isReversed: flag, showsCallers: flag, isSizedByBase: flag })
          .map((flame) => withoutUndefined(flame))
          .filter(isNotEmpty),
      ),
    });
    fc.assert(
      fc.property(states, (state) => {
        const view = withoutUndefined(state) as ViewState;
        expect(parseView(`#${formatView(view)}`)).toEqual(view);
      }),
    );
  });

  test('ignores unknown fields and values that are none', () => {
    expect(parseView('#cause=magic&from=soon&to=&window=0&colour=red&text=a')).toEqual({
      filter: { text: 'a', toMs: 0 },
    });
    expect(parseView('#sort-culprits=%3Cb%3E&sort-threads=name&flame=red.reversed')).toEqual({
      filter: {},
      flame: { isReversed: true },
    });
  });

  test('of a culprit keeps the order of the tables, the view and the search of the flame graph, but no frame of it', () => {
    const order = { blocks: '-length' };
    const flame = { isReversed: true, search: 'parse', zoom: '\nmain', frame: '\nmain\nscan' };
    expect(parseView(culpritHref({ filter: {}, order, flame }, 'f'))).toEqual({
      filter: { culprit: 'f' },
      order,
      flame: { isReversed: true, search: 'parse' },
    });
  });

  test('of a culprit keeps the other filters and closes the block', () => {
    const view: ViewState = { filter: { cause: 'gc', culprit: 'old' }, windowMs: 5, block: 'b' };
    expect(parseView(culpritHref(view, 'f\n/f.js'))).toEqual({
      filter: { cause: 'gc', culprit: 'f\n/f.js' },
      windowMs: 5,
    });
    expect(parseView(culpritHref(view, undefined))).toEqual({ filter: { cause: 'gc' }, windowMs: 5 });
  });
});
