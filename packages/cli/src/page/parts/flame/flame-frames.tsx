import type { JSX, TargetedKeyboardEvent } from 'preact';

import type { FlameFrame, FlameTree } from '../../../model/stacks/flame.js';
import { shownName } from '../../../model/text/place.js';
import type { FlameBox } from '../../model/flame-layout.js';
import { matchesText } from '../../model/flame-search.js';
import type { FlameLook } from './flame-look.js';

interface FlameFramesProps<N extends FlameTree<N>> {
  boxes: readonly FlameBox<N>[];
  tree: N;
  look: FlameLook<N>;
  /** The one frame that is in the tab order. */
  focused: FlameBox<N> | undefined;
  /** Path of the frame that the address names. */
  current: string | undefined;
  /** Functions whose name or place contains this text are marked. */
  marked: string | undefined;
  onKeyDown: (event: TargetedKeyboardEvent<HTMLElement>) => void;
  onKeyUp: () => void;
  onZoom: (path: string) => void;
  onFocus: (path: string) => void;
  onPoint: (path: string | undefined) => void;
}

const ROW_PX = 21;
/** Share of the whole width. */
const MIN_LABEL_WIDTH = 0.02;

/** The frames of a flame graph as buttons. */
export function FlameFrames<N extends FlameTree<N>>(props: FlameFramesProps<N>): JSX.Element {
  const { boxes, tree, look, focused, current, marked, onKeyDown, onKeyUp, onZoom, onFocus, onPoint } = props;
  const rows = boxes.reduce((deepest, box) => Math.max(deepest, box.depth), 0) + 1;
  return (
    <div
      class="flame"
      role="group"
      aria-label="Flame graph: arrow keys move, Enter zooms in, Escape zooms out"
      style={{ height: `${rows * ROW_PX}px` }}
      onKeyDown={onKeyDown}
      onKeyUp={onKeyUp}
      onMouseLeave={() => {
        onPoint(undefined);
      }}
    >
      {boxes.map((box) => {
        const text = shownName([labelOf(box.node), look.labelEnd?.(box.node) ?? []].flat().join(' '));
        return (
          <button
            key={box.path}
            type="button"
            data-path={box.path}
            tabIndex={box === focused ? 0 : -1}
            aria-current={box.path === current || undefined}
            class={`frame ${look.classOf(box.node)}${matchesText(box.node, marked) ? ' marked' : ''}`}
            style={{ left: `${box.left * 100}%`, width: `${box.width * 100}%`, top: `${box.depth * ROW_PX}px` }}
            aria-label={[text, ...look.facts(box.node, tree)].join(', ')}
            onClick={() => {
              onZoom(box.path);
            }}
            onFocus={() => {
              onFocus(box.path);
            }}
            onMouseEnter={() => {
              onPoint(box.path);
            }}
          >
            {box.width > MIN_LABEL_WIDTH ? text : ''}
          </button>
        );
      })}
    </div>
  );
}

/** `createSpans:41`: the line, where a stack trace has it. */
function labelOf({ name, place = '' }: FlameFrame): string {
  const line = /:(\d+)$/.exec(place)?.[1];
  return line === undefined || line === '0' ? name : `${name}:${line}`;
}
