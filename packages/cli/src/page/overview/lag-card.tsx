import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { BlockRow } from '../../model/live/page.js';
import { CAUSE_TEXT } from '../../model/text/cause.js';
import { formatClock, formatMs } from '../../model/text/format.js';
import { CAUSES, type LagPoint } from '../../model/types.js';
import { lagSeries } from '../model/lag-series.js';
import type { Theme } from '../parts/state/theme.js';
import { ChartTooltip, type Hover, markLines } from './chart-tooltip.js';
import { createLagChart, type LagChart } from './lag-chart.js';

interface LagCardProps {
  blocks: readonly BlockRow[];
  lag: readonly LagPoint[];
  fromMs: number;
  toMs: number;
  theme: Theme;
  onRange: (fromMs: number, toMs: number) => void;
  onOpen: (blockId: string) => void;
}

/** Chart of the lag over time with the blocks as pins or, where there are too many, as density. */
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
      onHover: setHover,
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
        role="group"
        tabIndex={0}
        aria-label={`Lag from ${formatClock(fromMs)} to ${formatClock(toMs)}, with ${blocks.length} blocks, the longest ${formatMs(longestMs)}. Arrow keys move between the blocks, Enter opens. The tables below contain the same data.`}
        onKeyDown={(event) => {
          if (chart.current?.press(event.key)) event.preventDefault();
        }}
        onBlur={() => {
          chart.current?.leave();
        }}
      >
        {hover && <ChartTooltip hover={hover} widthPx={container.current?.clientWidth ?? 0} />}
      </div>
      <p class="unseen" aria-live="polite">
        {hover && markLines(hover.mark).join(', ')}
      </p>
      <p class="hint">
        Drag to select a time range. Each pin is a block, its height the duration; many blocks are drawn as density.
      </p>
    </section>
  );
}
