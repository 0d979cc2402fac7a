import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';

const STORAGE_KEY = 'loopwatch-theme';

/** The theme: the user's last choice, else that of the system. */
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
  // Set during rendering: the children's effects read colours from the style sheet.
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
    // Some browsers have no storage for files: then the system's theme applies.
    return undefined;
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Without storage, the choice applies to this visit only.
  }
}
