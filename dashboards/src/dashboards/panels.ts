import * as common from '@grafana/grafana-foundation-sdk/common';
import type * as cog from '@grafana/grafana-foundation-sdk/cog';
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';

import { bucketsQuery, prometheus, colorSteps } from './builders.ts';

interface PanelHeading {
  readonly title: string;
  readonly description: string;
  /** Width of the panel in Grafana's grid of 24 columns. */
  readonly span: number;
}

export function statPanel(heading: PanelHeading, unit: string, red: number): stat.PanelBuilder {
  return new stat.PanelBuilder()
    .title(heading.title)
    .description(heading.description)
    .span(heading.span)
    .height(4)
    .datasource(prometheus)
    .unit(unit)
    .colorMode(common.BigValueColorMode.Value)
    .graphMode(common.BigValueGraphMode.Area)
    .thresholds(colorSteps(red / 2, red));
}

export function linePanel(
  heading: PanelHeading,
  unit: string,
  queries: readonly cog.Builder<cog.Dataquery>[],
): timeseries.PanelBuilder {
  return new timeseries.PanelBuilder()
    .title(heading.title)
    .description(heading.description)
    .span(heading.span)
    .height(8)
    .datasource(prometheus)
    .unit(unit)
    .min(0)
    .fillOpacity(8)
    .showPoints(common.VisibilityMode.Never)
    .legend(
      new common.VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(common.LegendDisplayMode.Table)
        .placement(common.LegendPlacement.Bottom)
        .calcs(['lastNotNull', 'max']),
    )
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    )
    .targets([...queries]);
}

/** Stacked areas, for the parts of a whole. */
export function stackedPanel(
  heading: PanelHeading,
  unit: string,
  queries: readonly cog.Builder<cog.Dataquery>[],
): timeseries.PanelBuilder {
  return linePanel(heading, unit, queries)
    .fillOpacity(30)
    .stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal));
}

export function heatmapPanel(heading: PanelHeading, expr: string): heatmap.PanelBuilder {
  return new heatmap.PanelBuilder()
    .title(heading.title)
    .description(heading.description)
    .span(heading.span)
    .height(9)
    .datasource(prometheus)
    .yAxis(new heatmap.YAxisConfigBuilder().unit('s').axisPlacement(common.AxisPlacement.Left))
    .color(
      new heatmap.HeatmapColorOptionsBuilder()
        .mode(heatmap.HeatmapColorMode.Scheme)
        .scheme('Oranges')
        .scale(heatmap.HeatmapColorScale.Exponential)
        .exponent(0.4)
        .steps(64),
    )
    .cellValues(new heatmap.CellValuesBuilder().unit('short'))
    .filterValues(new heatmap.FilterValueRangeBuilder().le(1e-9))
    .tooltip(
      new heatmap.HeatmapTooltipBuilder().mode(common.TooltipDisplayMode.Single).yHistogram(true).showColorScale(true),
    )
    .exemplarsColor('rgba(31, 120, 193, 0.9)')
    .withTarget(bucketsQuery(expr));
}

export function tablePanel(heading: PanelHeading, height: number): table.PanelBuilder {
  return new table.PanelBuilder()
    .title(heading.title)
    .description(heading.description)
    .span(heading.span)
    .height(height)
    .datasource(prometheus)
    .showHeader(true)
    .cellHeight(common.TableCellHeight.Sm)
    .filterable(true);
}

/** Transformation of a table: removes the hidden columns and renames and sorts the others. */
export function organizeColumns(
  names: Readonly<Record<string, string>>,
  hidden: readonly string[],
): { id: string; options: Record<string, unknown> } {
  return {
    id: 'organize',
    options: {
      excludeByName: Object.fromEntries(hidden.map((name) => [name, true])),
      indexByName: Object.fromEntries(Object.keys(names).map((name, index) => [name, index])),
      renameByName: names,
    },
  };
}
