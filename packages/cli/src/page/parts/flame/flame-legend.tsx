import type { JSX } from 'preact';

/** What the colours of a flame graph mean. */
export function FlameLegend(): JSX.Element {
  return (
    <ul class="legend">
      <li>
        <i class="swatch application" aria-hidden="true" />
        Application
      </li>
      <li>
        <i class="swatch dependency" aria-hidden="true" />
        node_modules
      </li>
      <li>
        <i class="swatch node" aria-hidden="true" />
        Node.js
      </li>
    </ul>
  );
}
