import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

import { largest } from '../../../model/collections.js';
import type { FlameFrame, FlameNode, FlameTree } from '../../../model/stacks/flame.js';
import { shownName } from '../../../model/text/place.js';
import { withoutOuterCallers } from '../../model/flame-callers.js';
import { type FlameBox, layoutFlame, neighbour } from '../../model/flame-layout.js';
import { reverseFlame } from '../../model/flame-reverse.js';
import { matchesText, matchingFrames } from '../../model/flame-search.js';
import type { FlameState } from '../../model/view-state.js';
import { FlameControls } from './flame-controls.js';
import type { FlameLook } from './flame-look.js';
import type { KeptFlameState } from './flame-state.js';
import { usePlaces } from '../code/places.js';

/** A change of the whole graph: reversed, without the framework's callers. */
type FlameView = (root: FlameNode) => FlameNode;

interface FlameGraphProps<N extends FlameTree<N>> {
  /** The graph as the view shows it. */
  draw: (view: FlameView) => N;
  look: FlameLook<N>;
  /** Functions whose name or place contains this text are marked while nothing is searched. */
  highlight?: string | undefined;
  /** Zoom, frame, search and views, where the address keeps them; else they are of this graph alone. */
  kept?: KeptFlameState | undefined;
  /** Buttons of this graph alone. */
  children?: ComponentChildren;
}

const ROW_PX = 21;
/** Share of the whole width. */
const MIN_LABEL_WIDTH = 0.02;

/**
 * Flame graph of buttons, root on top. Arrow keys move between callers and callees, Enter zooms in, Escape zooms out.
 * Only one of the buttons is in the tab order.
 */
export function FlameGraph<N extends FlameTree<N>>(props: FlameGraphProps<N>): JSX.Element {
  const { draw, look, highlight, kept, children } = props;
  const own = useState<FlameState>({});
  const [state, setState] = kept ?? own;
  const { isReversed = false, showsCallers = false, search = '' } = state;
  const keptPath = state.frame ?? state.zoom ?? '';
  const [focusPath, setFocusPath] = useState(keptPath);
  const [pointedPath, setPointedPath] = useState<string>();
  const container = useRef<HTMLDivElement>(null);
  const hasCallers = useMemo(() => depthOf(draw(withoutOuterCallers)) < depthOf(draw((root) => root)), [draw]);
  const shown = useMemo(
    () =>
      draw((root) => {
        const graph = showsCallers ? root : withoutOuterCallers(root);
        return isReversed ? reverseFlame(graph) : graph;
      }),
    [draw, showsCallers, isReversed],
  );
  const boxes = useMemo(() => layoutFlame(shown, state.zoom), [shown, state.zoom]);
  // An address can name a frame that this graph does not have.
  const isZoomed = state.zoom !== undefined && boxes.some((box) => box.path === state.zoom);
  const rows = boxes.reduce((deepest, box) => Math.max(deepest, box.depth), 0) + 1;
  const focused = boxes.find((box) => box.path === focusPath) ?? boxes[0];
  const described = boxes.find((box) => box.path === pointedPath) ?? focused;
  const marked = search === '' ? highlight : search;

  // Back and Forward lead to another frame. Before the next key is pressed: it may have moved the focus by then.
  useLayoutEffect(() => {
    setFocusPath(keptPath);
  }, [keptPath]);

  const zoom = (path: string | undefined): void => {
    setFocusPath(path ?? '');
    const next = path === '' ? undefined : path;
    if (next !== state.zoom) setState({ ...state, zoom: next, frame: undefined });
    else if (state.frame !== undefined) setState({ ...state, frame: undefined }, { replace: true });
  };
  // Not at each focus: a key that is held down moves the focus more often than browsers let a page change its address.
  const keepFrame = (): void => {
    if (focusPath === keptPath) return;
    setState({ ...state, frame: focusPath === (state.zoom ?? '') ? undefined : focusPath }, { replace: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isZoomed) {
      event.stopPropagation();
      event.preventDefault();
      zoom(undefined);
      return;
    }
    const next = focused && neighbour(boxes, focused, event.key);
    if (!next) return;
    event.preventDefault();
    setFocusPath(next.path);
    container.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(next.path)}"]`)?.focus();
  };

  return (
    <>
      <FlameControls
        search={search}
        found={search.trim() === '' ? undefined : look.found(matchingFrames(shown, search), shown).join(', ')}
        onSearch={(text) => {
          const isTyping = search !== '' && text !== '';
          setState({ ...state, search: text || undefined }, { replace: isTyping });
        }}
        isReversed={isReversed}
        onReverse={(reversed) => {
          setState({ ...state, zoom: undefined, frame: undefined, isReversed: reversed });
        }}
        // Undefined where no framework is above the application.
        showsCallers={hasCallers ? showsCallers : undefined}
        onCallers={(shows) => {
          setState({ ...state, zoom: undefined, frame: undefined, showsCallers: shows });
        }}
        onZoomOut={
          isZoomed
            ? () => {
                zoom(undefined);
              }
            : undefined
        }
      >
        {children}
      </FlameControls>
      <div class="flame-info">
        {described && (
          <FrameInfo
            box={described}
            whole={look.whole}
            facts={look.facts(described.node, shown)}
            isPlaceShort={look.hasShortPlaces === true}
          />
        )}
      </div>
      <div
        class="flame"
        ref={container}
        role="group"
        aria-label="Flame graph: arrow keys move, Enter zooms in, Escape zooms out"
        style={{ height: `${rows * ROW_PX}px` }}
        onKeyDown={onKeyDown}
        onKeyUp={keepFrame}
        onMouseLeave={() => {
          setPointedPath(undefined);
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
              aria-current={box.path === state.frame || undefined}
              class={`frame ${look.classOf(box.node)}${matchesText(box.node, marked) ? ' marked' : ''}`}
              style={{ left: `${box.left * 100}%`, width: `${box.width * 100}%`, top: `${box.depth * ROW_PX}px` }}
              aria-label={[text, ...look.facts(box.node, shown)].join(', ')}
              onClick={() => {
                zoom(box.path);
              }}
              onFocus={() => {
                setFocusPath(box.path);
              }}
              onMouseEnter={() => {
                setPointedPath(box.path);
              }}
            >
              {box.width > MIN_LABEL_WIDTH ? text : ''}
            </button>
          );
        })}
      </div>
    </>
  );
}

/** `createSpans:41`: the line, where a stack trace has it. */
function labelOf({ name, place = '' }: FlameFrame): string {
  const line = /:(\d+)$/.exec(place)?.[1];
  return line === undefined || line === '0' ? name : `${name}:${line}`;
}

interface FrameInfoProps {
  box: FlameBox;
  whole: string;
  facts: readonly string[];
  isPlaceShort: boolean;
}

function FrameInfo({ box, whole, facts, isPlaceShort }: FrameInfoProps): JSX.Element {
  const { node } = box;
  const { shorten } = usePlaces();
  return (
    <span>
      <strong>{box.path === '' ? whole : shownName(node.name)}</strong>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {node.place !== undefined && (
        <span class="place">{shownName(isPlaceShort ? node.place : shorten(node.place))}</span>
      )}
    </span>
  );
}

function depthOf(node: FlameNode): number {
  return 1 + largest(node.children.map(depthOf), 0);
}
