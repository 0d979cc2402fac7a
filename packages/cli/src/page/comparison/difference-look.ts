import { type BeforeAfter, changeLevel, signedMs, signedShare } from '../../model/compare/change.js';
import type { DifferenceNode } from '../../model/compare/flame-difference.js';
import { formatMs } from '../../model/text/format.js';
import type { FlameLook } from '../parts/flame/flame-look.js';

/** Coloured by the change, which also stands in the frame. */
export const DIFFERENCE: FlameLook<DifferenceNode> = {
  whole: 'All blocked time',
  hasShortPlaces: true,
  classOf: (node) => changeLevel(node),
  labelEnd: (node) => (changeLevel(node) === 'same' ? undefined : signedShare(node)),
  facts: (node) => changeFacts(node),
  found: (nodes) =>
    changeFacts({
      baseMs: nodes.reduce((total, { baseMs }) => total + baseMs, 0),
      headMs: nodes.reduce((total, { headMs }) => total + headMs, 0),
    }),
};

/** `150 ms → 450 ms a run`, `+300 ms`, `+200 %` */
function changeFacts(times: BeforeAfter): string[] {
  return [`${formatMs(times.baseMs)} → ${formatMs(times.headMs)} a run`, signedMs(times), signedShare(times)];
}
