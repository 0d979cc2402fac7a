import {
  applyFieldOverrides,
  cacheFieldDisplayNames,
  createTheme,
  type DataFrame,
  FieldColorModeId,
  type FieldConfig,
  FieldConfigOptionsRegistry,
  type FieldConfigPropertyItem,
  type FieldConfigSource,
  FieldType,
  standardTransformers,
  standardTransformersRegistry,
  toDataFrame,
  transformDataFrame,
} from '@grafana/data';
import { firstValueFrom } from 'rxjs';

import type { Panel, Target } from './dashboard.ts';
import type { InstantSample, Labels, RangeSeries } from './prometheus.ts';

export const theme = createTheme({ colors: { mode: 'dark' } });

/** What Grafana's time series panel puts where a dashboard says nothing. */
const TIME_SERIES_COLOR = { mode: FieldColorModeId.PaletteClassic };
const TIME_SERIES_DEFAULTS = { lineWidth: 1, pointSize: 5, spanNulls: false };

standardTransformersRegistry.setInit(() =>
  [
    standardTransformers.mergeTransformer,
    standardTransformers.organizeFieldsTransformer,
    standardTransformers.sortByTransformer,
  ].map((transformer) => ({
    id: transformer.id,
    name: transformer.name,
    transformation: () => Promise.resolve(transformer),
    editor: () => null,
    imageDark: '',
    imageLight: '',
  })),
);

export function rangeFrames(target: Target, series: readonly RangeSeries[], stepSeconds: number): DataFrame[] {
  return series.map(({ metric, values = [] }) =>
    toDataFrame({
      fields: [
        {
          name: 'Time',
          type: FieldType.time,
          config: { interval: stepSeconds * 1000 },
          values: values.map(([timeSeconds]) => timeSeconds * 1000),
        },
        {
          name: 'Value',
          type: FieldType.number,
          labels: metric,
          config: { displayNameFromDS: legend(target.legendFormat ?? '', metric) },
          values: values.map(([, value]) => Number(value)),
        },
      ],
    }),
  );
}

/** A row for each sample, a column for each label. */
export function tableFrame(target: Target, samples: readonly InstantSample[], isOnly: boolean): DataFrame {
  const names = [...new Set(samples.flatMap(({ metric }) => Object.keys(metric)))].sort();
  return toDataFrame({
    refId: target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: samples.map(({ value }) => value[0] * 1000) },
      ...names.map((name) => ({
        name,
        type: FieldType.string,
        values: samples.map(({ metric }) => metric[name] ?? ''),
      })),
      {
        name: isOnly ? 'Value' : `Value #${target.refId ?? 'A'}`,
        type: FieldType.number,
        values: samples.map(({ value }) => Number(value[1])),
      },
    ],
  });
}

export async function transformed(panel: Panel, frames: DataFrame[]): Promise<DataFrame[]> {
  return firstValueFrom(transformDataFrame(panel.transformations ?? [], frames));
}

/** The panel's units, thresholds, names and links, put on the fields by Grafana's own rules. */
export function configured(panel: Panel, frames: DataFrame[]): DataFrame[] {
  const { defaults, overrides } = panel.fieldConfig ?? { defaults: {}, overrides: [] };
  const fieldConfig = { defaults: panel.type === 'timeseries' ? lineDefaults(defaults) : defaults, overrides };
  const shown = applyFieldOverrides({
    data: frames,
    fieldConfig,
    fieldConfigRegistry: registryOf(fieldConfig),
    replaceVariables: (text) => text,
    theme,
    timeZone: 'browser',
  });
  cacheFieldDisplayNames(shown);
  return shown;
}

function lineDefaults(defaults: FieldConfig): FieldConfig {
  return { color: TIME_SERIES_COLOR, ...defaults, custom: { ...TIME_SERIES_DEFAULTS, ...defaults.custom } };
}

/**
 * Grafana's panels register each option with its editor. Without editors it is enough to know the options that the
 * panel sets.
 */
function registryOf({ defaults, overrides }: FieldConfigSource): FieldConfigOptionsRegistry {
  const registry = new FieldConfigOptionsRegistry();
  const ids = new Set([
    ...Object.keys(defaults).filter((key) => key !== 'custom'),
    ...Object.keys((defaults.custom ?? {}) as object).map((key) => `custom.${key}`),
    ...overrides.flatMap(({ properties }) => properties.map(({ id }) => id)),
  ]);
  for (const id of ids) {
    const isCustom = id.startsWith('custom.');
    const item = {
      id,
      name: id,
      path: isCustom ? id.slice('custom.'.length) : id,
      isCustom,
      process: (value: unknown) => value,
      shouldApply: () => true,
    };
    registry.register(item as unknown as FieldConfigPropertyItem);
  }
  return registry;
}

function legend(format: string, metric: Labels): string {
  return format.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => metric[name] ?? '');
}
