import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { cpuWaitText } from '../../model/cpu-wait.js';
import { formatClock, formatMs } from '../../model/format.js';
import { functionOfBlock } from '../../model/guess.js';
import { lagSeries } from '../model/lag-series.js';
import type { BlockRow } from '../../model/page.js';
import { CAUSES, type LagPoint } from '../../model/types.js';
import { createLagChart, type LagChart } from './lag-chart.js';
import type { Theme } from '../parts/theme.js';
import { CAUSE_TEXT } from '../../model/cause.js';

interface LagCardProps {
  blocks: readonly BlockRow[];
  lag: readonly LagPoint[];
  fromMs: number;
  toMs: number;
  theme: Theme;
  onRange: (fromMs: number, toMs: number) => void;
  onOpen: (blockId: string) => void;
}

interface Hover {
  readonly block: BlockRow;
  readonly left: number;
  readonly top: number;
}

/** Chart of the lag over time with the blocks as pins. */
export function LagCard({ blocks, lag, fromMs, toMs, theme, onRange, onOpen }: LagCardProps): JSX.Element {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<LagChart>(undefined);
  const [hover, setHover] = useState<Hover>();
  const series = useMemo(() => lagSeries(lag, fromMs, toMs), [lag, fromMs, toMs]);
  const handlers = useRef({ onRange, onOpen });
  handlers.current = { onRange, onOpen };

  useEffect(() => {
    const created = createLagChart(container.current!, {
      onRange: (from, to) => {
        handlers.current.onRange(from, to);
      },
      onHover: (block, left, top) => {
        setHover(block && { block, left, top });
      },
      onOpen: (id) => {
        handlers.current.onOpen(id);
      },
    });
    chart.current = created;
    return () => {
      created.destroy();
    };
  }, [theme]);
  useEffect(() => {
    chart.current?.update({ series, blocks, fromMs, toMs });
  }, [series, blocks, fromMs, toMs, theme]);

  const causes = CAUSES.filter((cause) => blocks.some((block) => block.cause === cause));
  const longestMs = blocks.reduce((longest, block) => Math.max(longest, block.durationMs), 0);
  return (
    <section class="card" aria-labelledby="lag">
      <div class="card-head">
        <h2 id="lag">Lag over time</h2>
        <ul class="legend">
          <li>
            <i class="line p50" aria-hidden="true" />
            Median lag
          </li>
          <li>
            <i class="line p99" aria-hidden="true" />
            99th percentile
          </li>
          {causes.map((cause) => (
            <li key={cause}>
              <i class={`dot ${cause}`} aria-hidden="true" />
              {CAUSE_TEXT[cause]}
            </li>
          ))}
        </ul>
      </div>
      <div
        class="chart"
        ref={container}
        role="img"
        aria-label={`Lag from ${formatClock(fromMs)} to ${formatClock(toMs)}, with ${blocks.length} blocks, the longest ${formatMs(longestMs)}. The tables below contain the same data.`}
      >
        {hover && (
          <div
            class={`tooltip${hover.left > 500 ? ' before' : ''}`}
            style={{ left: `${hover.left}px`, top: `${hover.top}px` }}
          >
            <strong>{formatMs(hover.block.durationMs)}</strong>{' '}
            {[CAUSE_TEXT[hover.block.cause], cpuWaitText(hover.block)].filter(Boolean).join(', ')}
            <br />
            {functionOfBlock(hover.block) ?? 'No stack'}
            <br />
            <span>{formatClock(hover.block.startMs)}</span>
          </div>
        )}
      </div>
      <p class="hint">Drag to select a time range. Each pin is a block; its height is the duration.</p>
    </section>
  );
}
