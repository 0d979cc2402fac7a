/** A registry's groups as its files contain them: the part of Weaver's format that `schema.json` admits. */
export type Group = AttributeGroup | SpanGroup | MetricGroup;

export type Stability = 'development' | 'alpha' | 'beta' | 'release_candidate' | 'stable';
export type Instrument = 'counter' | 'gauge' | 'histogram' | 'updowncounter';
export type RequirementLevel = 'required' | 'recommended' | 'opt_in' | { readonly conditionally_required: string };

export interface AttributeGroup {
  readonly id: string;
  readonly type: 'attribute_group';
  readonly brief: string;
  readonly attributes: readonly (Definition | Reference)[];
}

export interface SpanGroup {
  readonly id: string;
  readonly type: 'span';
  readonly stability: Stability;
  readonly span_kind: string;
  readonly brief: string;
  readonly note?: string;
  readonly extends: string;
  readonly annotations: { readonly loopwatch: { readonly span_name: string } };
  readonly attributes: readonly Reference[];
}

export interface MetricGroup {
  readonly id: string;
  readonly type: 'metric';
  readonly stability: Stability;
  readonly metric_name: string;
  readonly instrument: Instrument;
  readonly unit: string;
  readonly brief: string;
  readonly note?: string;
  readonly extends?: string;
  readonly annotations?: { readonly loopwatch?: { readonly made_by?: 'collector' } };
  readonly attributes?: readonly Reference[];
}

/** An attribute that this registry defines. */
export interface Definition {
  readonly id: string;
  readonly type: string | { readonly members: readonly Member[] };
  readonly stability: Stability;
  readonly brief: string;
  readonly note?: string;
  readonly examples?: readonly Example[];
}

export type Example = string | number | readonly string[];

export interface Member {
  readonly id: string;
  readonly value: string;
  readonly brief: string;
}

/** The use of an attribute, of this registry or of OpenTelemetry's. */
export interface Reference {
  readonly ref: string;
  readonly requirement_level: RequirementLevel;
  readonly brief?: string;
  readonly note?: string;
  readonly examples?: readonly Example[];
}
