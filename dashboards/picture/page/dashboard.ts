import type { DataTransformerConfig, FieldConfigSource } from '@grafana/data';
import type { VizLegendOptions } from '@grafana/schema';

/** What is read of a dashboard's JSON. */
export interface Dashboard {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly options?: PanelOptions;
  readonly fieldConfig?: FieldConfigSource;
  readonly targets?: readonly Target[];
  readonly transformations?: DataTransformerConfig[];
}

export interface PanelOptions {
  readonly legend?: VizLegendOptions;
  readonly colorMode?: string;
  readonly graphMode?: string;
  readonly justifyMode?: string;
  readonly textMode?: string;
  readonly reduceOptions?: { readonly calcs: string[] };
  readonly cellHeight?: string;
  readonly showTypeIcons?: boolean;
  readonly color?: { readonly exponent: number };
  readonly yAxis?: { readonly unit: string };
}

export interface Target {
  readonly expr: string;
  readonly legendFormat?: string;
  readonly refId?: string;
  readonly instant?: boolean;
  readonly exemplar?: boolean;
}
