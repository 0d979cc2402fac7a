import type { Attribute, Conventions } from './resolve.ts';

const commentWidth = 117;

const header = `/**
 * All names of spans, attributes and metrics that leave the process. The CLI and the tests import them from here.
 *
 * Names that OpenTelemetry's semantic conventions define are used as defined
 * (https://opentelemetry.io/docs/specs/semconv/registry/attributes/). All other attributes and metrics have the prefix
 * \`event_loop.\`, or \`libuv.\` where they are of libuv's thread pool.
 *
 * Generated from semconv/registry by \`npm run generate\`; do not edit.
 */

/** Name of the instrumentation scope. */
export const SCOPE_NAME = '@loopwatch/instrumentation-event-loop';
`;

const footer = `/** Value of \`code.function.name\` on metrics for all culprits that are not among the busiest. */
export const OTHER_CULPRITS = 'other';
`;

const instrumentNames = {
  counter: 'Counter',
  gauge: 'Gauge',
  histogram: 'Histogram',
  updowncounter: 'Up-down counter',
};

/** The text of semconv.ts: constants for what the package sends, without what the collector adds. */
export function semconvModule({ attributes, spans, metrics, victimAttributes }: Conventions): string {
  const sent = metrics.filter(({ isMadeByCollector }) => !isMadeByCollector);
  const used = new Set(
    [...spans, ...sent, { attributes: victimAttributes }].flatMap((each) => each.attributes.map(({ name }) => name)),
  );
  const ofPackage = attributes.filter(({ name }) => used.has(name));
  const blocks = [
    spans.map(({ id, name, ...span }) => constant(id.replace(/^span\./, 'SPAN_'), name, sentences(span))),
    ofPackage.filter(({ isOpenTelemetrys }) => isOpenTelemetrys).map(attributeConstant),
    ofPackage.filter(({ isOpenTelemetrys }) => !isOpenTelemetrys).map(attributeConstant),
    sent.map(({ name, instrument, unit, ...metric }) =>
      constant(`METRIC_${name}`, name, `${instrumentNames[instrument]}, ${unit}. ${sentences(metric)}`),
    ),
  ];
  return [header, ...blocks.map((block) => block.join('')), footer].join('\n');
}

/** Without `event_loop.`, which all of ours have: `ATTR_BLOCKED_CAUSE`. */
function attributeConstant(attribute: Attribute): string {
  const values = attribute.members.map(({ value }) => `\`${value}\``).join(', ');
  const comment = values === '' ? sentences(attribute) : `${sentences(attribute)} One of ${values}.`;
  return constant(`ATTR_${attribute.name.replace(/^event_loop\./, '')}`, attribute.name, comment);
}

function constant(name: string, value: string, comment: string): string {
  return `${docComment(comment)}export const ${name.replaceAll('.', '_').toUpperCase()} = '${value}';\n`;
}

function sentences({ brief, note }: { brief: string; note?: string }): string {
  return note === undefined ? brief : `${brief} ${note}`;
}

function docComment(text: string): string {
  if (text.length <= commentWidth - '/** */'.length) return `/** ${text} */\n`;
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > commentWidth) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}
