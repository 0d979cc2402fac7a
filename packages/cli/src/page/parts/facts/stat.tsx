import type { JSX } from 'preact';

interface StatProps {
  name: string;
  value: string;
  note: string;
}

/** One of the figures at the top of a page. */
export function Stat({ name, value, note }: StatProps): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="value">{value}</dd>
      <dd class="note" title={note}>
        {note}
      </dd>
    </div>
  );
}
