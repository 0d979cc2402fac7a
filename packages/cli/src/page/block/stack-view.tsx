import type { JSX } from 'preact';

import { frameKind, parseStack, type StackFrame } from '../../model/stacks/stack.js';
import { shownName } from '../../model/text/place.js';
import type { Block, Sources } from '../../model/types.js';
import { PlaceLink } from '../parts/code/culprit.js';
import { usePlaces } from '../parts/code/places.js';

/** The stack with the source line of each application frame. */
export function StackView({ block, sources }: { block: Block; sources: Sources }): JSX.Element {
  const frames = parseStack(block.stackTrace ?? '');
  if (frames.length === 0) return <p class="nothing">No stack was captured, or it was too long to keep.</p>;
  return (
    <ol class="stack">
      {frames.map((frame, index) => (
        <Frame key={index} frame={frame} source={sourceOf(frame, sources)} isCulprit={isCulprit(frame, block)} />
      ))}
    </ol>
  );
}

interface FrameProps {
  frame: StackFrame;
  source: string | undefined;
  isCulprit: boolean;
}

function Frame({ frame, source, isCulprit }: FrameProps): JSX.Element {
  const { formatFrame, urlOf } = usePlaces();
  const kind = frameKind(frame);
  const place = formatFrame(frame);
  const { functionName, filePath, lineNumber = 0, columnNumber = 0 } = frame;
  const url = filePath === undefined ? undefined : urlOf({ functionName, filePath, lineNumber, columnNumber });
  return (
    <li class={`${kind}${isCulprit ? ' culprit' : ''}`}>
      <span class="function">
        {frame.isAwait && <em>await </em>}
        {shownName(frame.functionName)}
      </span>
      {place !== undefined && (
        <span class="place" title={filePath}>
          {url === undefined ? shownName(place) : <PlaceLink url={url}>{shownName(place)}</PlaceLink>}
        </span>
      )}
      {source !== undefined && kind === 'application' && !isCulprit && <code>{source.trim()}</code>}
    </li>
  );
}

function sourceOf({ filePath, lineNumber }: StackFrame, sources: Sources): string | undefined {
  return filePath === undefined ? undefined : sources[filePath]?.[String(lineNumber)];
}

function isCulprit(frame: StackFrame, { culprit }: Block): boolean {
  return culprit !== undefined && frame.filePath === culprit.filePath && frame.functionName === culprit.functionName;
}
