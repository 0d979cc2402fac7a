import type { JSX } from 'preact';

import { frameKind, parseStack, type StackFrame } from '../../model/stack.js';
import type { Block, Sources } from '../../model/types.js';
import { usePlaces } from '../parts/places.js';

/** The source around the culprit's line, and the stack with the source line of each application frame. */
export function StackView({ block, sources }: { block: Block; sources: Sources }): JSX.Element {
  const frames = parseStack(block.stackTrace ?? '');
  return (
    <>
      <Snippet block={block} sources={sources} />
      {frames.length === 0 ? (
        <p class="nothing">No stack was captured.</p>
      ) : (
        <ol class="stack">
          {frames.map((frame, index) => (
            <Frame key={index} frame={frame} source={sourceOf(frame, sources)} isCulprit={isCulprit(frame, block)} />
          ))}
        </ol>
      )}
    </>
  );
}

interface FrameProps {
  frame: StackFrame;
  source: string | undefined;
  isCulprit: boolean;
}

function Frame({ frame, source, isCulprit }: FrameProps): JSX.Element {
  const { shorten } = usePlaces();
  const kind = frameKind(frame);
  return (
    <li class={`${kind}${isCulprit ? ' culprit' : ''}`}>
      <span class="function">
        {frame.isAwait && <em>await </em>}
        {frame.functionName}
      </span>
      {frame.filePath !== undefined && (
        <span class="place" title={frame.filePath}>
          {shorten(frame.filePath)}:{frame.lineNumber}
        </span>
      )}
      {source !== undefined && kind === 'application' && !isCulprit && <code>{source.trim()}</code>}
    </li>
  );
}

function Snippet({ block: { culprit }, sources }: { block: Block; sources: Sources }): JSX.Element | null {
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

function sourceOf({ filePath, lineNumber }: StackFrame, sources: Sources): string | undefined {
  return filePath === undefined ? undefined : sources[filePath]?.[String(lineNumber)];
}

function isCulprit(frame: StackFrame, { culprit }: Block): boolean {
  return culprit !== undefined && frame.filePath === culprit.filePath && frame.functionName === culprit.functionName;
}
