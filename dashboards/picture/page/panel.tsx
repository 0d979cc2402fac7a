import { type DataFrame, FieldType, getFieldDisplayValues, type TimeRange } from '@grafana/data';
import type { TableCellHeight, VizLegendOptions } from '@grafana/schema';
import {
  BigValue,
  type BigValueColorMode,
  type BigValueGraphMode,
  type BigValueJustifyMode,
  type BigValueTextMode,
  PanelChrome,
  TimeSeries,
} from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';

import { ExemplarMarks } from './exemplar-marks.tsx';
import { theme } from './frames.ts';
import { Heatmap } from './heatmap.tsx';
import { isEmpty, type LoadedPanel } from './load.ts';

interface PanelViewProps {
  readonly loaded: LoadedPanel;
  readonly width: number;
  readonly height: number;
  readonly timeRange: TimeRange;
  readonly stepSeconds: number;
}

interface ContentProps extends PanelViewProps {
  readonly frames: DataFrame[];
}

export function PanelView(props: PanelViewProps) {
  const { panel, frames } = props.loaded;
  return (
    <PanelChrome title={panel.title} description={panel.description} width={props.width} height={props.height}>
      {(width, height) => <Content {...props} frames={frames} width={width} height={height} />}
    </PanelChrome>
  );
}

function Content(props: ContentProps) {
  const { panel } = props.loaded;
  if (isEmpty(props.loaded)) return <p>{panel.fieldConfig?.defaults.noValue ?? 'No data'}</p>;
  switch (panel.type) {
    case 'stat':
      return <Stat {...props} />;
    case 'timeseries':
      return <Lines {...props} />;
    case 'table':
      return <Rows {...props} />;
    case 'heatmap':
      return <Heatmap {...props} />;
    default:
      throw new Error(`Expected a stat, timeseries, table or heatmap panel, got ${panel.type}: teach panel.tsx.`);
  }
}

function Stat({ loaded: { panel }, frames, width, height }: ContentProps) {
  const calcs = panel.options?.reduceOptions?.calcs ?? [];
  const [value] = getFieldDisplayValues({
    fieldConfig: panel.fieldConfig ?? { defaults: {}, overrides: [] },
    reduceOptions: { calcs: calcs.length > 0 ? calcs : ['lastNotNull'] },
    replaceVariables: (text) => text,
    theme,
    data: frames,
    sparkline: panel.options?.graphMode !== 'none',
    timeZone: 'browser',
  });
  if (value === undefined) return null;
  return (
    <BigValue
      value={value.display}
      sparkline={value.sparkline}
      colorMode={panel.options?.colorMode as BigValueColorMode}
      graphMode={panel.options?.graphMode as BigValueGraphMode}
      justifyMode={panel.options?.justifyMode as BigValueJustifyMode}
      textMode={panel.options?.textMode as BigValueTextMode}
      count={1}
      theme={theme}
      width={width}
      height={height}
    />
  );
}

function Lines({ loaded: { panel, exemplars }, frames, width, height, timeRange }: ContentProps) {
  return (
    <TimeSeries
      // A series of histograms or of nothing has no line to draw.
      frames={frames.filter((frame) => frame.fields.some(({ type }) => type === FieldType.number) && frame.length > 0)}
      legend={panel.options?.legend as VizLegendOptions}
      timeRange={timeRange}
      timeZone="browser"
      width={width}
      height={height}
    >
      {(config) => <ExemplarMarks config={config} exemplars={exemplars} />}
    </TimeSeries>
  );
}

function Rows({ loaded: { panel }, frames, width, height, timeRange }: ContentProps) {
  const [frame] = frames;
  if (frame === undefined) return null;
  return (
    <TableNG
      data={frame}
      width={width}
      height={height}
      timeRange={timeRange}
      cellHeight={panel.options?.cellHeight as TableCellHeight}
      showTypeIcons={panel.options?.showTypeIcons}
      enableVirtualization={false}
    />
  );
}
