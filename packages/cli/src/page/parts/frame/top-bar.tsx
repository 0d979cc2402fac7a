import type { ComponentChildren, JSX } from 'preact';

import { EditorSelect } from '../code/editor.js';
import type { Theme } from '../state/theme.js';

interface TopBarProps {
  /** What the page is about. */
  subject: ComponentChildren;
  theme: Theme;
  onToggleTheme: () => void;
  children?: ComponentChildren;
}

/** The head of every page: brand, subject, where places lead, theme. */
export function TopBar({ subject, theme, onToggleTheme, children }: TopBarProps): JSX.Element {
  return (
    <header class="top">
      <div class="brand">
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path d="M20.5 12A8.5 8.5 0 1 1 12 3.5" />
          <circle cx="18" cy="6" r="2.4" />
        </svg>
        <h1>Loopwatch</h1>
      </div>
      <p class="subject">{subject}</p>
      {children}
      <EditorSelect />
      <button type="button" class="quiet" onClick={onToggleTheme}>
        {theme === 'dark' ? 'Light theme' : 'Dark theme'}
      </button>
    </header>
  );
}
