import type { Example, RequirementLevel } from './format.ts';
import { prometheusMetric } from './prometheus.ts';
import type { Attribute, Conventions, Metric, UsedAttribute } from './resolve.ts';

const instrumentNames = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'histogram',
  updowncounter: 'up-down counter',
};

/** The tables of the READMEs, by the names that their markers have. */
export function readmeTables({ spans, metrics }: Conventions): ReadonlyMap<string, string> {
  return new Map([
    [
      'spans',
      table(
        ['span', ''],
        spans.map((span) => [code(span.name), textOf(span)]),
      ),
    ],
    [
      'metrics',
      table(
        ['metric', '', 'unit', ''],
        metrics
          .filter(({ isMadeByCollector }) => !isMadeByCollector)
          .map((metric) => [code(metric.name), instrumentNames[metric.instrument], metric.unit, textOf(metric)]),
      ),
    ],
  ]);
}

/** The page with all that the registry says. */
export function conventionsPage({ spans, victimAttributes, metrics }: Conventions): string {
  const sections = [
    `<!-- Generated from semconv/registry by \`npm run generate\`; do not edit. -->

# Spans, attributes and metrics

The names that \`@loopwatch/instrumentation-event-loop\` sends, and those that the collector derives from them. Names
without the prefix \`event_loop.\` or \`libuv.\` are OpenTelemetry's. The source is the [registry](../semconv/registry), in the format
of [OpenTelemetry Weaver](https://github.com/open-telemetry/weaver); \`semconv.ts\`, the tables of the READMEs and the
names in dashboards and rules are made of it. [What to propose to OpenTelemetry](semconv-proposal.md) is a page of its
own.`,
    '## Spans',
    ...spans.map(
      (span) => `### \`${span.name}\`

${textOf(span)}

Kind: ${span.kind}. Status: unset. Stability: ${span.stability}.

${attributeTable(span.attributes)}`,
    ),
    '### Spans that a block delayed',
    'SERVER, CONSUMER and local root spans of other instrumentations.',
    attributeTable(victimAttributes),
    '## Metrics',
    ...metrics.map(metricSection),
  ];
  return `${sections.join('\n\n')}\n`;
}

function metricSection(metric: Metric): string {
  const facts = [
    ['instrument', instrumentNames[metric.instrument]],
    ['unit', code(metric.unit)],
    ['in Prometheus', code(prometheusMetric(metric))],
    ['stability', metric.stability],
  ];
  return `### \`${metric.name}\`

${textOf(metric)}

${table(['', ''], facts)}

${attributeTable(metric.attributes)}`;
}

function attributeTable(attributes: readonly UsedAttribute[]): string {
  return table(
    ['attribute', 'type', 'requirement level', '', 'examples', 'stability'],
    attributes.map((attribute) => [
      code(attribute.name),
      code(attribute.type),
      requirement(attribute.requirementLevel),
      attributeText(attribute),
      attribute.examples.map((example) => code(exampleText(example))).join('; '),
      attribute.stability,
    ]),
  );
}

function attributeText(attribute: Attribute): string {
  return [textOf(attribute), ...attribute.members.map(({ value, brief }) => `${code(value)}: ${brief}`)].join(' ');
}

function textOf({ brief, note }: { brief: string; note?: string }): string {
  return note === undefined ? brief : `${brief} ${note}`;
}

function requirement(level: RequirementLevel): string {
  return typeof level === 'string'
    ? level.replace('_', '-')
    : `conditionally required: ${level.conditionally_required}`;
}

/** Of a text with several lines, the first. */
function exampleText(example: Example): string {
  const text = typeof example === 'object' ? JSON.stringify(example) : String(example);
  const [first = '', ...others] = text.split('\n');
  return others.length === 0 ? first : `${first.trim()} …`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
