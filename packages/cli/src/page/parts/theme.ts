import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';

const STORAGE_KEY = 'loopwatch-theme';

/** The theme: as chosen on this page before, else as the system has it. */
export function useTheme(): [theme: Theme, toggle: () => void] {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const [chosen, setChosen] = useState(storedTheme);
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
  // Before the children's effects, which read colours from the style sheet.
  document.documentElement.dataset.theme = theme;

  return [
    theme,
    () => {
      const next = theme === 'dark' ? 'light' : 'dark';
      setChosen(next);
      store(next);
    },
  ];
}

function storedTheme(): Theme | undefined {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return stored === 'light' || stored === 'dark' ? stored : undefined;
  } catch {
    // Some browsers give a file no storage: then the system's theme holds.
    return undefined;
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // As above: the choice holds for this visit.
  }
}
