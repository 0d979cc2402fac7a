import type { PanelBuilder as LinePanel } from '@grafana/grafana-foundation-sdk/timeseries';

import { labels, metrics, records } from '../names.ts';
import { selector } from '../promql.ts';
import { instanceMatcher, rangeQuery, rateRange, serviceMatcher } from './builders.ts';
import { linePanel, stackedPanel } from './panels.ts';

/* Where the time of the loops goes: of one process and of all. */

/** Legend of the line for the threads with a loop: one second in each second for each of them. */
const capacity = 'capacity of the threads';

const requests = {
  label: labels.request,
  title: 'Busy time by request',
  by: 'by the request that it served',
  without: 'no request',
};
const functions = {
  label: labels.function,
  title: 'Busy time by function',
  by: 'by the function that ran',
  without: 'no function',
};

/** Stacked against the capacity of the loops. */
function busyPanel(
  { label, title, by, without }: typeof requests | typeof functions,
  span: number,
  values: string,
  ofThreads: string,
): LinePanel {
  return stackedPanel(
    {
      title,
      description:
        `Share of the time for which the loops were busy, ${by}, also where nothing blocks. One loop has 100 %; ` +
        `other: what has no series of its own.`,
      span,
    },
    'percentunit',
    [
      rangeQuery(`label_replace(${values}, "${label}", "${without}", "${label}", "")`, `{{${label}}}`),
      rangeQuery(ofThreads, capacity),
    ],
  )
    .overrideByName(capacity, [
      { id: 'custom.stacking', value: { mode: 'none' } },
      { id: 'custom.fillOpacity', value: 0 },
      { id: 'custom.lineStyle', value: { fill: 'dash' } },
    ])
    .noValue(
      'The loop has not been busy in this time range, or busySamplesPerSecond is 0, or cardinality.mode is fleet',
    );
}

function ofInstance(by: typeof requests | typeof functions): LinePanel {
  const busy = `sum by (${by.label}) (rate(${metrics.busyTime}${selector(instanceMatcher)}[${rateRange}]))`;
  return busyPanel(by, 12, busy, `1 + (sum(${metrics.threads}${selector(instanceMatcher)}) or vector(0))`);
}

export const busyRequests = (): LinePanel => ofInstance(requests);
export const busyFunctions = (): LinePanel => ofInstance(functions);

function ofServices(by: typeof requests | typeof functions, record: string): LinePanel {
  const where = selector(serviceMatcher);
  const busy = `topk(10, sum by (${by.label}) (${record}${where}))`;
  return busyPanel(by, 8, busy, `sum(${records.threads}${where})`);
}

export const busyRequestsOfServices = (): LinePanel => ofServices(requests, records.busyOfRequests);
export const busyFunctionsOfServices = (): LinePanel => ofServices(functions, records.busyOfFunctions);

export const busyShareOfServices = (): LinePanel =>
  linePanel(
    {
      title: 'Busy share of the capacity',
      description: 'Busy time of all loops of a version, as a share of the time that its threads have.',
      span: 8,
    },
    'percentunit',
    [rangeQuery(`${records.busyShare}${selector(serviceMatcher)}`, `{{${labels.service}}} {{${labels.version}}}`)],
  )
    .max(1)
    .noValue('No loop has reported its busy time in this time range');
