import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';

import type { FlameNode } from '../../model/flame.js';
import { withoutOuterCallers } from '../model/flame-callers.js';
import { formatMs, formatShare } from '../../model/format.js';
import { usePlaces } from './places.js';
import { type FlameBox, layoutFlame, neighbour } from '../model/flame-layout.js';

interface FlameGraphProps {
  root: FlameNode;
  /** Functions whose name or place contains this text are marked. */
  highlight?: string | undefined;
}

const ROW_PX = 21;

/**
 * Flame graph of buttons, root on top. Arrow keys move between callers and callees, Enter zooms in, Escape zooms out.
 * Only one of the buttons is in the tab order.
 */
export function FlameGraph({ root, highlight }: FlameGraphProps): JSX.Element {
  const [zoomPath, setZoomPath] = useState<string>();
  const [focusPath, setFocusPath] = useState('');
  const [pointedPath, setPointedPath] = useState<string>();
  const container = useRef<HTMLDivElement>(null);
  const [showsCallers, setShowsCallers] = useState(false);
  const inner = useMemo(() => withoutOuterCallers(root), [root]);
  const boxes = useMemo(
    () => layoutFlame(showsCallers ? root : inner, zoomPath),
    [root, inner, showsCallers, zoomPath],
  );
  const rows = boxes.reduce((deepest, box) => Math.max(deepest, box.depth), 0) + 1;
  const focused = boxes.find((box) => box.path === focusPath) ?? boxes[0];
  const described = boxes.find((box) => box.path === pointedPath) ?? focused;

  const zoom = (path: string | undefined): void => {
    setZoomPath(path === '' ? undefined : path);
    setFocusPath(path ?? '');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && zoomPath !== undefined) {
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
      <div class="flame-info">
        {described && <FrameInfo box={described} totalMs={root.value} />}
        <span class="buttons">
          {depthOf(inner) < depthOf(root) && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                zoom(undefined);
                setShowsCallers(!showsCallers);
              }}
            >
              {showsCallers ? 'Hide framework callers' : 'Show framework callers'}
            </button>
          )}
          {zoomPath !== undefined && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                zoom(undefined);
              }}
            >
              Zoom out
            </button>
          )}
        </span>
      </div>
      <div
        class="flame"
        ref={container}
        role="group"
        aria-label="Flame graph: arrow keys move, Enter zooms in, Escape zooms out"
        style={{ height: `${rows * ROW_PX}px` }}
        onKeyDown={onKeyDown}
        onMouseLeave={() => {
          setPointedPath(undefined);
        }}
      >
        {boxes.map((box) => (
          <button
            key={box.path}
            type="button"
            data-path={box.path}
            tabIndex={box === focused ? 0 : -1}
            class={`frame ${box.node.kind}${isMarked(box.node, highlight) ? ' marked' : ''}`}
            style={{ left: `${box.left * 100}%`, width: `${box.width * 100}%`, top: `${box.depth * ROW_PX}px` }}
            aria-label={`${box.node.name}, ${formatMs(box.node.value)}, ${formatShare(box.node.value / root.value)}`}
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
            {box.width > 0.02 ? box.node.name : ''}
          </button>
        ))}
      </div>
    </>
  );
}

function FrameInfo({ box, totalMs }: { box: FlameBox; totalMs: number }): JSX.Element {
  const { node } = box;
  const { shorten } = usePlaces();
  return (
    <span>
      <strong>{box.path === '' ? 'All blocked time' : node.name}</strong>
      <span>{formatMs(node.value)}</span>
      <span>{formatShare(node.value / totalMs)}</span>
      {node.place !== undefined && <span class="place">{shorten(node.place)}</span>}
    </span>
  );
}

function depthOf(node: FlameNode): number {
  return 1 + Math.max(0, ...node.children.map(depthOf));
}

function isMarked(node: FlameNode, highlight = ''): boolean {
  const text = highlight.trim().toLowerCase();
  return text !== '' && `${node.name}\n${node.place ?? ''}`.toLowerCase().includes(text);
}
