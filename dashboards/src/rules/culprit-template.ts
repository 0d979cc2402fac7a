import { labels, metrics } from '../names.ts';
import { exactIncrease, histogramTotal, selector } from '../promql.ts';

/* Templates of Prometheus' annotations: sentences from the results of queries; empty where there is no result. */

/** Value of a label of the alert. */
export const alertLabel = (label: string): string => `$labels.${label}`;

/** A text about the result of a query, in which each `%q` stands for the next of the values. */
export function ofResult(query: string, values: readonly string[], text: string): string {
  return `{{ with printf ${[JSON.stringify(query), ...values].join(' ')} | query }}${text}{{ end }}`;
}

/**
 * ` (/app/src/runs/trace-view.ts:17)`: the line in which the function blocked most, by the spans that the collector
 * counted. The process's own metrics have no lines, because each would be a series.
 */
export function placeOf(functionName: string, matchers: Readonly<Record<string, string>>): string {
  const names = [labels.function, ...Object.keys(matchers)];
  const spans = metrics.blockSpanDuration + selector(...names.map((name) => `${name}=%q`), `${labels.file}!=""`);
  return ofResult(
    `topk(1, sum by (${labels.file}, ${labels.line}) (histogram_sum(${spans})))`,
    [functionName, ...Object.values(matchers)],
    ` ({{ . | first | label "${labels.file}" }}:{{ . | first | label "${labels.line}" }})`,
  );
}

/** `4 blocks` of the last ten minutes, and what follows where that is known. */
export function blockCount(
  functionName: string,
  matchers: Readonly<Record<string, string>>,
  following: string,
): string {
  const selected = selector(`${labels.function}=%q`, ...Object.keys(matchers).map((name) => `${name}=%q`));
  return ofResult(
    `sum(${exactIncrease('count', metrics.blockedDuration, '10m', selected)})`,
    // The expression names the metric several times.
    Array.from({ length: timesNamed }, () => [functionName, ...Object.values(matchers)]).flat(),
    '{{ . | first | value | printf "%.0f" }} block{{ if ne (. | first | value) 1.0 }}s{{ end }}' + following,
  );
}
const timesNamed = [...exactIncrease('count', metrics.blockedDuration, '10m', '#').matchAll(/#/g)].length;

/**
 * What a saturated loop does: ` 63% of its busy time was in requests GET /search. 41% of its busy time was in the function
 * parseFilters.` Each sentence is empty where that is not known.
 */
export const busySentence = ((): string => {
  const ofThread = [`${labels.instance}=%q`, `${labels.threadName}=%q`];
  const values = [alertLabel(labels.instance), alertLabel(labels.threadName)];
  const busy = (...matchers: string[]): string =>
    `increase(${metrics.busyTime}${selector(...ofThread, ...matchers)}[10m])`;
  const most = (label: string, text: string): string =>
    ofResult(
      `topk(1, sum by (${label}) (${busy(`${label}!~"|other"`)}) / on () group_left () sum(${busy()}) > 0)`,
      [...values, ...values],
      text.replace('%', label),
    );
  const share = '{{ . | first | value | humanizePercentage }}';
  return [
    most(labels.request, ` ${share} of its busy time was in requests {{ . | first | label "%" }}.`),
    most(labels.function, ` ${share} of its busy time was in the function {{ . | first | label "%" }}.`),
  ].join('');
})();

/**
 * The sentence about the culprit with the most blocked time of the alert's instance:
 * ` createSpans (/app/src/runs/trace-view.ts:17) took 77% of the blocked time of the last ten minutes: 4 blocks, 9.8s.
 * Version 1.3.0.`
 */
export const culpritSentence = ((): string => {
  const instance = `${labels.instance}=%q`;
  const name = '$function';
  const total = (...matchers: string[]): string =>
    histogramTotal('sum', 'increase', metrics.blockedDuration, [labels.function, labels.version], matchers, '10m');
  const share = ofResult(
    `sum(${total(instance, `${labels.function}=%q`)}) / sum(${total(instance)})`,
    [...[0, 1].flatMap(() => [alertLabel(labels.instance), name]), ...[0, 1].map(() => alertLabel(labels.instance))],
    '{{ . | first | value | humanizePercentage }}',
  );
  return ofResult(
    `topk(1, ${total(instance, `${labels.function}!=""`)} > 0)`,
    [alertLabel(labels.instance), alertLabel(labels.instance)],
    [
      `{{ $culprit := . | first }}{{ ${name} := label "${labels.function}" $culprit }}`,
      ` {{ ${name} }}${placeOf(name, { [labels.instance]: alertLabel(labels.instance) })} took ${share}`,
      ` of the blocked time of the last ten minutes:`,
      ` ${blockCount(name, { [labels.instance]: alertLabel(labels.instance) }, ', ')}`,
      `{{ $culprit | value | humanizeDuration }}.`,
      `{{ with label "${labels.version}" $culprit }} Version {{ . }}.{{ end }}`,
    ].join(''),
  );
})();
