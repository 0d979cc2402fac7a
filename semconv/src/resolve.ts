import type {
  Definition,
  Example,
  Group,
  Instrument,
  Member,
  Reference,
  RequirementLevel,
  Stability,
} from './format.ts';
import { stabilityInOpenTelemetry } from './opentelemetry.ts';

/** The registry with every reference and `extends` replaced by what it names. */
export interface Conventions {
  /** Those of OpenTelemetry by name, then those of this registry in the order of their definitions. */
  readonly attributes: readonly Attribute[];
  readonly spans: readonly Span[];
  /** Attributes on spans of other instrumentations. */
  readonly victimAttributes: readonly UsedAttribute[];
  readonly metrics: readonly Metric[];
}

export interface Attribute {
  readonly name: string;
  /** `enum` where there are members. */
  readonly type: string;
  readonly members: readonly Member[];
  readonly stability: Stability;
  readonly brief: string;
  readonly note?: string;
  readonly examples: readonly Example[];
  readonly isOpenTelemetrys: boolean;
}

/** An attribute on a span or metric. */
export interface UsedAttribute extends Attribute {
  readonly requirementLevel: RequirementLevel;
}

export interface Span {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly stability: Stability;
  readonly brief: string;
  readonly note?: string;
  readonly attributes: readonly UsedAttribute[];
}

export interface Metric {
  readonly name: string;
  readonly instrument: Instrument;
  readonly unit: string;
  readonly stability: Stability;
  readonly brief: string;
  readonly note?: string;
  readonly attributes: readonly UsedAttribute[];
  /** Made of spans by the collector; the package does not send it. */
  readonly isMadeByCollector: boolean;
}

export function resolve(groups: readonly Group[]): Conventions {
  const attributes = new Map(allAttributes(groups).map((attribute) => [attribute.name, attribute]));

  const use = (reference: Reference): UsedAttribute => ({
    ...attributes.get(reference.ref)!,
    ...withoutUndefined({ brief: reference.brief, note: reference.note, examples: reference.examples }),
    requirementLevel: reference.requirement_level,
  });
  // A group that extends another can change the requirement level of an attribute.
  const attributesOf = (id: string): UsedAttribute[] => {
    const group = groups.find((each) => each.id === id);
    if (group === undefined) throw new Error(`Expected a group ${id} in the registry.`);
    const inherited = 'extends' in group ? attributesOf(group.extends) : [];
    const own = (group.attributes ?? []).filter(isReference).map(use);
    const ownNames = new Set(own.map(({ name }) => name));
    return [...inherited.filter(({ name }) => !ownNames.has(name)), ...own];
  };

  return {
    attributes: [...attributes.values()],
    spans: groups
      .filter((group) => group.type === 'span')
      .map((group) => ({
        ...description(group),
        id: group.id,
        name: group.annotations.loopwatch.span_name,
        kind: group.span_kind,
        attributes: attributesOf(group.id),
      })),
    victimAttributes: attributesOf('event_loop.victim'),
    metrics: groups
      .filter((group) => group.type === 'metric')
      .map((group) => ({
        ...description(group),
        name: group.metric_name,
        instrument: group.instrument,
        unit: group.unit,
        attributes: attributesOf(group.id),
        isMadeByCollector: group.annotations?.loopwatch?.made_by === 'collector',
      })),
  };
}

function allAttributes(groups: readonly Group[]): Attribute[] {
  const entries = groups.flatMap((group) => group.attributes ?? []);
  const definitions = entries.filter((entry): entry is Definition => !isReference(entry));
  const defined = new Set(definitions.map(({ id }) => id));
  const references = entries.filter(isReference).filter(({ ref }) => !defined.has(ref));
  const names = [...new Set(references.map(({ ref }) => ref))].sort();
  return [
    ...names.map((name) =>
      attributeOfOpenTelemetry(
        name,
        references.filter(({ ref }) => ref === name),
      ),
    ),
    ...definitions.map(ownAttribute),
  ];
}

/** The package has names only: the first reference that says more describes the attribute. */
function attributeOfOpenTelemetry(name: string, references: readonly Reference[]): Attribute {
  const stability = stabilityInOpenTelemetry(name);
  if (stability === undefined) throw new Error(`Expected ${name} in this registry or in OpenTelemetry's.`);
  const { brief, note, examples = [] } = references.find((reference) => reference.brief !== undefined) ?? {};
  if (brief === undefined) throw new Error(`Expected a brief where ${name} is referred to first.`);
  const type = typeof examples[0] === 'number' ? 'int' : 'string';
  return { name, type, members: [], stability, brief, ...withoutUndefined({ note }), examples, isOpenTelemetrys: true };
}

function ownAttribute(definition: Definition): Attribute {
  const { type, examples = [] } = definition;
  return {
    ...description(definition),
    name: definition.id,
    type: typeof type === 'string' ? type : 'enum',
    members: typeof type === 'string' ? [] : type.members,
    examples,
    isOpenTelemetrys: false,
  };
}

function description(of: {
  stability: Stability;
  brief: string;
  note?: string;
}): Pick<Span, 'stability' | 'brief' | 'note'> {
  return { stability: of.stability, brief: of.brief, ...withoutUndefined({ note: of.note }) };
}

function isReference(entry: Definition | Reference): entry is Reference {
  return 'ref' in entry;
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
