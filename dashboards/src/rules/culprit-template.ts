import { labels, metrics, records, spans } from '../names.ts';
import { exactIncrease, selector } from '../promql.ts';

/* Templates of Prometheus' annotations: sentences from the results of queries; empty where there is no result. */

/** Value of a label of the alert. */
export const alertLabel = (label: string): string => `$labels.${label}`;
const ofInstance = { [labels.instance]: alertLabel(labels.instance) };
const ofThread = { ...ofInstance, [labels.threadName]: alertLabel(labels.threadName) };

/** A query for `printf`, in which each `%q` stands for the next of the values. */
interface Query {
  readonly text: string;
  readonly values: readonly string[];
}

/** A text about the result of a query. */
export function ofResult(query: Query, text: string): string {
  return `{{ with ${called(query)} }}${text}{{ end }}`;
}

function called({ text, values }: Query): string {
  return `printf ${[JSON.stringify(text), ...values].join(' ')} | query`;
}

/** A query made of selectors with values of a template. Each time that it selects, the values follow. */
export function querying(
  matched: Readonly<Record<string, string>>,
  of: (...matchers: readonly string[]) => string,
): Query {
  const mark = '#values#';
  const text = of(...Object.keys(matched).map((label, index) => `${label}=%q${index === 0 ? mark : ''}`));
  const values = Array.from({ length: text.split(mark).length - 1 }, () => Object.values(matched)).flat();
  return { text: text.replaceAll(mark, ''), values };
}

const valueAsShare = '{{ . | first | value | humanizePercentage }}';
const blocksOfValue =
  '{{ $blocks | first | value | printf "%.0f" }} block{{ if ne ($blocks | first | value) 1.0 }}s{{ end }}';

/**
 * ` (/app/src/runs/trace-view.ts:17)`: the line in which the function blocked most, by the spans that the collector
 * counted. The process's own metrics have no lines, because each would be a series.
 */
export function placeOf(functionName: string, matchers: Readonly<Record<string, string>>): string {
  const query = querying({ [labels.function]: functionName, ...matchers }, (...where) => {
    const counted = metrics.blockSpanDuration + selector(...where, `${labels.file}!=""`);
    return `topk(1, sum by (${labels.file}, ${labels.line}) (histogram_sum(${counted})))`;
  });
  return ofResult(query, ` ({{ . | first | label "${labels.file}" }}:{{ . | first | label "${labels.line}" }})`);
}

/**
 * ` It is in isValidTag (/app/src/tags.ts:3).` of a thread that hangs, from the reports of the last ten minutes. They
 * arrive seconds after the alert has fired, and have no instance in the mode `fleet`.
 */
export const hangSentence = ((): string => {
  const query = querying({ [labels.instance]: alertLabel(labels.instance) }, (...where) => {
    const reports = selector(...where, `${labels.spanName}="${spans.hang}"`, `${labels.file}!=""`);
    const seconds = exactIncrease('native_sum', metrics.blockSpanDuration, '10m', reports);
    return `topk(1, sum by (${labels.function}, ${labels.file}, ${labels.line}) (${seconds}) > 0)`;
  });
  const value = (label: string): string => `{{ . | first | label "${label}" }}`;
  return ofResult(query, ` It is in ${value(labels.function)} (${value(labels.file)}:${value(labels.line)}).`);
})();

/** `4 blocks` of the last ten minutes, of a culprit of a version. */
export const blocksOfVersion = ((): string => {
  const ofCulprit = [labels.service, labels.version, labels.function].map(
    (label) => [label, alertLabel(label)] as const,
  );
  const query = querying(
    Object.fromEntries(ofCulprit),
    (...where) => `sum(${records.culpritBlocks}${selector(...where)})`,
  );
  return `{{ with $blocks := ${called(query)} }}${blocksOfValue}{{ end }}`;
})();

/**
 * Sets a variable to what the blocks of the last ten minutes add up to, in either form of the histogram. Exact: with
 * `increase()`, a block of 2.5 s of a young process can be one of 2.6 s.
 */
function grown(
  variable: string,
  part: 'sum' | 'count',
  matched: Readonly<Record<string, string>>,
  of: (increase: string) => string,
  ...more: readonly string[]
): string {
  const from = (metric: string, kind: Parameters<typeof exactIncrease>[0]): string =>
    called(querying(matched, (...where) => of(exactIncrease(kind, metric, '10m', selector(...where, ...more)))));
  return (
    `{{ ${variable} := ${from(`${metrics.blockedDuration}_${part}`, 'counter')} }}` +
    `{{ if not ${variable} }}{{ ${variable} = ${from(metrics.blockedDuration, `native_${part}`)} }}{{ end }}`
  );
}

/** `4 blocks, ` of the last ten minutes, of a culprit of the alert's instance. */
function blocksOfInstance(functionName: string): string {
  const culprit = { [labels.function]: functionName, ...ofInstance };
  const blocks = grown('$blocks', 'count', culprit, (increase) => `sum(${increase})`);
  return `${blocks}{{ if $blocks }}${blocksOfValue}, {{ end }}`;
}

/**
 * ` Most of its time was in requests GET /search.` of a function of the alert's instance, from the time for which the loop
 * was busy in it. Blocks have no request in a metric.
 */
function requestOf(functionName: string): string {
  const query = querying({ [labels.function]: functionName, ...ofInstance }, (...where) => {
    const busy = (...more: string[]): string => `increase(${metrics.busyTime}${selector(...where, ...more)}[10m])`;
    return `topk(1, sum by (${labels.request}) (${busy(`${labels.request}!~"|other"`)})) / scalar(sum(${busy()})) > 0.5`;
  });
  return ofResult(query, ` Most of its time was in requests {{ . | first | label "${labels.request}" }}.`);
}

/**
 * What a saturated loop does: ` 63% of its busy time was in requests GET /search. 41% of its busy time was in the function
 * parseFilters.` Each sentence is empty where that is not known.
 */
export const busySentence = ((): string => {
  const most = (record: string, text: string): string =>
    ofResult(
      querying(ofThread, (...where) => record + selector(...where)),
      ` ${valueAsShare} of its busy time was in ${text}.`,
    );
  return [
    most(records.topRequest, `requests {{ . | first | label "${labels.request}" }}`),
    most(records.topFunction, `the function {{ . | first | label "${labels.function}" }}`),
  ].join('');
})();

/**
 * The sentence about the culprit with the most blocked time of the alert's instance:
 * ` createSpans (/app/src/runs/trace-view.ts:17) took 77% of the blocked time of the last ten minutes: 4 blocks, 9.8s.
 * Version 1.3.0. Most of its time was in requests GET /runs/:runId/trace.`
 */
export const culpritSentence = ((): string => {
  const name = '$function';
  const most = grown(
    '$most',
    'sum',
    ofInstance,
    (increase) => `topk(1, sum by (${labels.function}, ${labels.version}) (${increase}) > 0)`,
    `${labels.function}!=""`,
  );
  const all = grown('$all', 'sum', ofInstance, (increase) => `sum(${increase})`);
  // A template can divide nothing: the share is a query with the values in it.
  const share = ofResult(
    { text: 'vector(%f / %f)', values: ['($culprit | value)', '($all | first | value)'] },
    valueAsShare,
  );
  return [
    `${most}{{ with $most }}{{ $culprit := . | first }}{{ ${name} := label "${labels.function}" $culprit }}`,
    ` {{ ${name} }}${placeOf(name, ofInstance)} took ${all}${share} of the blocked time of the last ten minutes:`,
    ` ${blocksOfInstance(name)}{{ $culprit | value | humanizeDuration }}.`,
    `{{ with label "${labels.version}" $culprit }} Version {{ . }}.{{ end }}${requestOf(name)}{{ end }}`,
  ].join('');
})();
