import { useEffect, useState } from 'preact/hooks';

import { storeChoice, storedChoice } from './stored-choice.js';

const THEMES = ['light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'loopwatch-theme';

/** The theme: the user's last choice, else that of the system. */
export function useTheme(): [theme: Theme, toggle: () => void] {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const [chosen, setChosen] = useState(() => storedChoice(STORAGE_KEY, THEMES));
  const [systemIsDark, setSystemIsDark] = useState(system.matches);
  const theme = chosen ?? (systemIsDark ? 'dark' : 'light');

  useEffect(() => {
    const follow = (): void => {
      setSystemIsDark(system.matches);
    };
    system.addEventListener('change', follow);
    return () => {
      system.removeEventListener('change', follow);
    };
  }, []);
  // Set during rendering: the children's effects read colours from the style sheet.
  document.documentElement.dataset.theme = theme;

  return [
    theme,
    () => {
      const next = theme === 'dark' ? 'light' : 'dark';
      setChosen(next);
      storeChoice(STORAGE_KEY, next);
    },
  ];
}
