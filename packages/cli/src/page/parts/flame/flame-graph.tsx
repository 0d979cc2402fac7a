import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';

import { largest } from '../../../model/collections.js';
import type { FlameNode, FlameTree } from '../../../model/stacks/flame.js';
import { shownName } from '../../../model/text/place.js';
import { withoutOuterCallers } from '../../model/flame-callers.js';
import { type FlameBox, layoutFlame, neighbour } from '../../model/flame-layout.js';
import { reverseFlame } from '../../model/flame-reverse.js';
import { matchingFrames } from '../../model/flame-search.js';
import type { FlameState } from '../../model/view-state.js';
import { FlameControls } from './flame-controls.js';
import { FlameFrames } from './flame-frames.js';
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
  const focused = boxes.find((box) => box.path === focusPath) ?? boxes[0];
  const described = boxes.find((box) => box.path === pointedPath) ?? focused;

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
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
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
    event.currentTarget.querySelector<HTMLElement>(`[data-path="${CSS.escape(next.path)}"]`)?.focus();
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
      <FlameFrames
        boxes={boxes}
        tree={shown}
        look={look}
        focused={focused}
        current={state.frame}
        marked={search === '' ? highlight : search}
        onKeyDown={onKeyDown}
        onKeyUp={keepFrame}
        onZoom={zoom}
        onFocus={setFocusPath}
        onPoint={setPointedPath}
      />
    </>
  );
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
