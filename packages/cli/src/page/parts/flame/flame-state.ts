import type { FlameState } from '../../model/view-state.js';
import { type ShowOptions, useCurrentView } from '../state/view.js';

export type KeptFlameState = readonly [state: FlameState, setState: (state: FlameState, options?: ShowOptions) => void];

/** The state of the page's flame graph, which the address keeps. */
export function useFlameState(): KeptFlameState {
  const { view, show } = useCurrentView();
  return [
    view.flame ?? {},
    (flame, options) => {
      show({ flame }, options);
    },
  ];
}
