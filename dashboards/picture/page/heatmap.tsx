import { formattedValueToString, getValueFormat, type TimeRange } from '@grafana/data';
import { AxisPlacement, ScaleDirection, ScaleDistribution, ScaleOrientation, VisibilityMode } from '@grafana/schema';
import { UPlotChart, UPlotConfigBuilder } from '@grafana/ui';
import { interpolateOranges } from 'd3-scale-chromatic';
import { useMemo } from 'react';
import type uPlot from 'uplot';

import type { Cell } from './cells.ts';
import { ExemplarMarks } from './exemplar-marks.tsx';
import { theme } from './frames.ts';
import type { LoadedPanel } from './load.ts';

/** Native buckets are so narrow that they would be invisible. */
const LEAST_CELL_HEIGHT_PX = 4;
const AXIS_WIDTH_PX = 60;
/** So that a mark at the edge is seen whole. */
const MARGIN = 1.3;

interface HeatmapProps {
  readonly loaded: LoadedPanel;
  readonly width: number;
  readonly height: number;
  readonly timeRange: TimeRange;
  readonly stepSeconds: number;
}

/** Axes and plot are Grafana's; the cells are ours, since its packages have no heat map. */
export function Heatmap({ loaded, width, height, timeRange, stepSeconds }: HeatmapProps) {
  const { panel, cells, exemplars } = loaded;
  const config = useMemo(() => {
    const lowest = Math.min(...cells.map(({ lowerSeconds }) => lowerSeconds)) / MARGIN;
    const highest = Math.max(...cells.map(({ upperSeconds }) => upperSeconds)) * MARGIN;
    const format = getValueFormat(panel.options?.yAxis?.unit ?? 's');
    const builder = new UPlotConfigBuilder('browser');
    builder.addScale({
      scaleKey: 'x',
      isTime: true,
      orientation: ScaleOrientation.Horizontal,
      direction: ScaleDirection.Right,
      range: () => [timeRange.from.valueOf(), timeRange.to.valueOf()],
    });
    builder.addScale({
      scaleKey: 'y',
      orientation: ScaleOrientation.Vertical,
      direction: ScaleDirection.Up,
      distribution: ScaleDistribution.Log,
      log: 10,
      range: () => [lowest, highest],
    });
    builder.addAxis({ scaleKey: 'x', isTime: true, placement: AxisPlacement.Bottom, timeZone: 'browser', theme });
    builder.addAxis({
      scaleKey: 'y',
      placement: AxisPlacement.Left,
      size: AXIS_WIDTH_PX,
      theme,
      distr: ScaleDistribution.Log,
      formatValue: (value: number) => formattedValueToString(format(value)),
    });
    builder.addSeries({ scaleKey: 'y', theme, pathBuilder: () => null, showPoints: VisibilityMode.Never });
    builder.addHook('drawClear', (plot) => {
      drawCells(plot, cells, stepSeconds, panel.options?.color?.exponent ?? 1);
    });
    return builder;
  }, [cells, panel, stepSeconds, timeRange]);
  const data: uPlot.AlignedData = [
    [timeRange.from.valueOf(), timeRange.to.valueOf()],
    [null, null],
  ];
  return (
    <UPlotChart config={config} data={data} width={width} height={height}>
      <ExemplarMarks config={config} exemplars={exemplars} />
    </UPlotChart>
  );
}

/** A cell stands in the step that ends at its time; the more events, the brighter. */
function drawCells(plot: uPlot, cells: readonly Cell[], stepSeconds: number, exponent: number): void {
  const { ctx, bbox } = plot;
  const most = Math.max(...cells.map(({ count }) => count));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { timeSeconds, lowerSeconds, upperSeconds, count } of cells) {
    const left = plot.valToPos((timeSeconds - stepSeconds) * 1000, 'x', true);
    const right = plot.valToPos(timeSeconds * 1000, 'x', true);
    const top = plot.valToPos(upperSeconds, 'y', true);
    const bottom = plot.valToPos(lowerSeconds, 'y', true);
    ctx.fillStyle = interpolateOranges(1 - (count / most) ** exponent);
    ctx.fillRect(left, top, right - left - 1, Math.max(bottom - top - 1, LEAST_CELL_HEIGHT_PX * devicePixelRatio));
  }
  ctx.restore();
}
