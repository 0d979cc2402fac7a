import type { UPlotConfigBuilder } from '@grafana/ui';
import { useLayoutEffect } from 'react';

import type { Exemplar } from './prometheus.ts';

const MARK_RADIUS_PX = 4;
const MARK_COLOR = 'rgb(87, 148, 242)';

interface ExemplarMarksProps {
  readonly config: UPlotConfigBuilder;
  readonly exemplars: readonly Exemplar[];
}

/** Diamonds over one of Grafana's plots. Its own marks are part of its page, not of its packages. */
export function ExemplarMarks({ config, exemplars }: ExemplarMarksProps): null {
  // A layout effect of a child comes before the plot is made.
  useLayoutEffect(() => {
    config.addHook('draw', (plot) => {
      const { ctx, bbox } = plot;
      const scale = plot.series[1]?.scale ?? 'y';
      const radius = MARK_RADIUS_PX * devicePixelRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.fillStyle = MARK_COLOR;
      for (const { timestamp, value } of exemplars) {
        const x = plot.valToPos(timestamp * 1000, 'x', true);
        const y = plot.valToPos(Number(value), scale, true);
        ctx.beginPath();
        ctx.moveTo(x, y - radius);
        ctx.lineTo(x + radius, y);
        ctx.lineTo(x, y + radius);
        ctx.lineTo(x - radius, y);
        ctx.fill();
      }
      ctx.restore();
    });
  }, [config, exemplars]);
  return null;
}
