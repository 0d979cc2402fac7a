import type { JSX } from 'preact';

import type { Block, Sources } from '../../model/types.js';

interface SourceSnippetProps {
  block: Block;
  sources: Sources;
}

/** The source around the culprit's line; absent if the file is not on the machine of the CLI. */
export function SourceSnippet({ block: { culprit }, sources }: SourceSnippetProps): JSX.Element | null {
  const lines = culprit && sources[culprit.filePath];
  if (!lines) return null;
  const shown = Object.entries(lines)
    .map(([line, text]) => ({ line: Number(line), text }))
    .filter(({ line }) => Math.abs(line - culprit.lineNumber) <= 3);
  if (shown.length === 0) return null;
  return (
    <pre class="snippet" tabIndex={0} aria-label={`Source around line ${culprit.lineNumber}`}>
      {shown.map(({ line, text }) => (
        <span key={line} class={line === culprit.lineNumber ? 'hit' : ''}>
          <i>{line}</i>
          {text}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}
