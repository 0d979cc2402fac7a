import type { ComponentChildren, JSX } from 'preact';

interface FlameControlsProps {
  search: string;
  /** Time of the stacks that the search has found; undefined where nothing is searched. */
  found: string | undefined;
  onSearch: (text: string) => void;
  isReversed: boolean;
  onReverse: (isReversed: boolean) => void;
  /** Undefined where there are no framework callers to show. */
  showsCallers: boolean | undefined;
  onCallers: (shows: boolean) => void;
  /** Undefined where nothing is zoomed. */
  onZoomOut: (() => void) | undefined;
  /** Buttons of this graph alone. */
  children: ComponentChildren;
}

/** Search and views of a flame graph. */
export function FlameControls(props: FlameControlsProps): JSX.Element {
  const { search, found, onSearch, isReversed, onReverse, showsCallers, onCallers, onZoomOut, children } = props;
  return (
    <div class="flame-controls">
      <input
        type="search"
        aria-label="Search the flame graph"
        placeholder="Search functions"
        value={search}
        onInput={(event) => {
          onSearch(event.currentTarget.value);
        }}
      />
      <span class="found" role="status">
        {found}
      </span>
      <span class="buttons">
        {children}
        <button
          type="button"
          class="quiet"
          aria-pressed={isReversed}
          title="Functions that ran at the top, their callers below"
          onClick={() => {
            onReverse(!isReversed);
          }}
        >
          Reversed
        </button>
        {showsCallers !== undefined && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              onCallers(!showsCallers);
            }}
          >
            {showsCallers ? 'Hide framework callers' : 'Show framework callers'}
          </button>
        )}
        {onZoomOut && (
          <button type="button" class="quiet" onClick={onZoomOut}>
            Zoom out
          </button>
        )}
      </span>
    </div>
  );
}
