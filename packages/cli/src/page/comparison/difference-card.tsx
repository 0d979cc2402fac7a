import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';

import { CHANGE_STEPS, type ChangeLevel, MIN_CHANGE, MIN_CHANGE_MS } from '../../model/compare/change.js';
import type { ComparedFlames } from '../../model/compare/compared-flame.js';
import { type DifferenceNode, flameDifference, type SizedBy } from '../../model/compare/flame-difference.js';
import type { FlameNode } from '../../model/stacks/flame.js';
import { formatShare } from '../../model/text/format.js';
import { FlameGraph } from '../parts/flame/flame-graph.js';
import { useFlameState } from '../parts/flame/flame-state.js';
import { DIFFERENCE } from './difference-look.js';

interface DifferenceCardProps {
  flames: ComparedFlames;
  /** Name of the function that is marked. */
  marked: string | undefined;
}

const SIDES = [
  ['base', 'Before'],
  ['head', 'After'],
] as const satisfies readonly [SizedBy, string][];

/** Flame graph of both builds: widths are the blocked time of one of them, colours the change between them. */
export function DifferenceCard({ flames, marked }: DifferenceCardProps): JSX.Element {
  const [hasBefore, hasAfter] = [flames.base.value > 0, flames.head.value > 0];
  const kept = useFlameState();
  const [state, setState] = kept;
  const sizedBy: SizedBy = !hasAfter || (hasBefore && state.isSizedByBase === true) ? 'base' : 'head';
  const draw = useCallback(
    (view: (root: FlameNode) => FlameNode): DifferenceNode =>
      flameDifference({ base: view(flames.base), head: view(flames.head) }, sizedBy),
    [flames, sizedBy],
  );
  const canSwitch = hasBefore && hasAfter;
  return (
    <section class="card" aria-labelledby="flame">
      <div class="card-head">
        <h2 id="flame">Flame graph of the change</h2>
        <Legend />
      </div>
      <FlameGraph draw={draw} look={DIFFERENCE} highlight={marked} kept={kept}>
        {canSwitch && (
          <span class="sides" role="group" aria-label="Width of the frames">
            <span class="sides-name" aria-hidden="true">
              Width
            </span>
            {SIDES.map(([side, name]) => (
              <button
                key={side}
                type="button"
                class="quiet"
                aria-pressed={side === sizedBy}
                title={`Widths are the blocked time ${name.toLowerCase()}`}
                onClick={() => {
                  setState({ ...state, isSizedByBase: side === 'base' });
                }}
              >
                {name}
              </button>
            ))}
          </span>
        )}
      </FlameGraph>
      <p class="hint">
        {canSwitch && `What blocks only ${sizedBy === 'head' ? 'before' : 'after'} has no width here. `}
        The weakest colour is a change up to {CHANGE_STEPS[0]}×, the strongest one of more than {CHANGE_STEPS[1]}×; grey
        is one of less than {formatShare(MIN_CHANGE)} or {MIN_CHANGE_MS} ms. Times are means of the runs: the verdicts
        above say what chance explains.
      </p>
    </section>
  );
}

function Legend(): JSX.Element {
  return (
    <ul class="legend">
      <li>
        Less
        <Swatches levels={['less-3', 'less-2', 'less-1']} />
      </li>
      <li>
        <Swatches levels={['same']} />
        About the same
      </li>
      <li>
        <Swatches levels={['more-1', 'more-2', 'more-3']} />
        More
      </li>
    </ul>
  );
}

function Swatches({ levels }: { levels: readonly ChangeLevel[] }): JSX.Element {
  return (
    <span class="scale" aria-hidden="true">
      {levels.map((level) => (
        <i key={level} class={`swatch ${level}`} />
      ))}
    </span>
  );
}
