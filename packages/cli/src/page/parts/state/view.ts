import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

import { withoutUndefined } from '../../../model/collections.js';
import { formatView, parseView, type ViewState } from '../../model/view-state.js';

/** A change of some fields; undefined removes a field. */
export type ViewChange = { readonly [K in keyof ViewState]?: ViewState[K] | undefined };

export interface ShowOptions {
  /** Replaces the entry of the browser's history: for a text that is being typed, and for moves from frame to frame. */
  readonly replace?: boolean;
}

/** Shows another state. It is a new entry of the browser's history, so that Back leads to the one before. */
export type Show = (change: ViewChange, options?: ShowOptions) => void;

/** The state that the address keeps: reload, Back, Forward and a shared address show it again. */
export function useView(): [view: ViewState, show: Show] {
  const [fragment, setFragment] = useState(location.hash);
  const [view, setView] = useState(() => parseView(location.hash));
  useEffect(() => {
    const follow = (): void => {
      setFragment(location.hash);
      setView(parseView(location.hash));
    };
    // A link, an address that was edited by hand, Back and Forward.
    addEventListener('hashchange', follow);
    addEventListener('popstate', follow);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('popstate', follow);
    };
  }, []);
  return [
    view,
    (change, { replace = false } = {}) => {
      const next = withoutUndefined({ ...view, ...change }) as ViewState;
      const text = formatView(next);
      const hash = text === '' ? '' : `#${text}`;
      if (hash !== fragment) {
        // An empty address would mean: as it is.
        history[replace ? 'replaceState' : 'pushState'](null, '', hash || location.pathname + location.search);
      }
      setFragment(hash);
      setView(next);
    },
  ];
}

interface CurrentView {
  readonly view: ViewState;
  readonly show: Show;
}

/** For components that link to another state of the page, or keep theirs in it. */
export const View = createContext<CurrentView>({ view: { filter: {} }, show: () => undefined });

export function useCurrentView(): CurrentView {
  return useContext(View);
}
