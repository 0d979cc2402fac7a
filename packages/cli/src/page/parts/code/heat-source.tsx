import type { JSX } from 'preact';

import { type LineTime, sourceLines } from '../../../model/stacks/line-times.js';
import { formatMs, formatShare, plural } from '../../../model/text/format.js';
import type { Sources } from '../../../model/types.js';

interface HeatSourceProps {
  filePath: string;
  /** Most first. */
  times: readonly LineTime[];
  sources: Sources;
  /** Says what the times are, where there are several lines. */
  hint: string;
}

/** Source with the blocked time of each line. Without the file, the lines alone if there are several. */
export function HeatSource({ filePath, times, sources, hint }: HeatSourceProps): JSX.Element | null {
  const totalMs = times.reduce((total, { ms }) => total + ms, 0);
  const hottestMs = times[0]?.ms ?? 0;
  const lines = sourceLines(sources, filePath, times);
  if (lines.length === 0) return times.length > 1 ? <LinesAlone times={times} totalMs={totalMs} /> : null;
  return (
    <>
      <pre class="snippet heat" tabIndex={0} aria-label="Source with the blocked time of each line">
        {lines.map(({ lineNumber, ms, count, text, isAfterGap }) => (
          <span
            key={lineNumber}
            class={[ms > 0 ? 'hit' : '', isAfterGap ? 'after-gap' : ''].filter(Boolean).join(' ')}
            style={{ '--heat': hottestMs > 0 ? ms / hottestMs : 0 }}
          >
            <b title={ms > 0 ? `${plural(count, 'block')}, ${formatShare(ms / totalMs)}` : undefined}>
              {ms > 0 ? formatMs(ms) : ''}
            </b>
            <i>{lineNumber}</i>
            {text}
            {'\n'}
          </span>
        ))}
      </pre>
      {times.length > 1 && <p class="hint">{hint}</p>}
    </>
  );
}

const MAX_LINES = 5;

function LinesAlone({ times, totalMs }: { times: readonly LineTime[]; totalMs: number }): JSX.Element {
  const shown = times
    .slice(0, MAX_LINES)
    .map(({ lineNumber, ms }) => `line ${lineNumber} ${formatShare(ms / totalMs)}`);
  return <p class="hint">Blocked time by line: {shown.join(', ')}.</p>;
}
