import type { JSX } from 'preact';

interface ShowMoreProps {
  text: string;
  onClick: () => void;
}

/** The button below a shortened list. */
export function ShowMore({ text, onClick }: ShowMoreProps): JSX.Element {
  return (
    <button type="button" class="quiet more" onClick={onClick}>
      {text}
    </button>
  );
}
