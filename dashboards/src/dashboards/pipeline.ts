import { RowBuilder, type Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';

import { labels, metrics, records } from '../names.ts';
import { grownInFiveMinutes } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import { newDashboard, rangeQuery } from './builders.ts';
import { linePanel, statPanel } from './panels.ts';

/** Dashboard of the collectors: what they lose or are about to lose, and how full they are. */
export function pipelineDashboard(): Dashboard {
  return newDashboard('pipeline', 'Collectors of the event loop telemetry: loss, queues, memory, agents and series.')
    .withRow(new RowBuilder('Loss'))
    .withPanel(lost())
    .withPanel(lostInQueues())
    .withPanel(refused())
    .withPanel(memoryRefused())
    .withPanel(droppedTooEarly())
    .withRow(new RowBuilder('Room'))
    .withPanel(queues())
    .withPanel(waitingTraces())
    .withPanel(memory())
    .withRow(new RowBuilder('Fleet'))
    .withPanel(collectors())
    .withPanel(agentCount())
    .withPanel(series())
    .build();
}

/** How many in the last five minutes, by a counter that a collector creates at the first: 0 until then. */
function grown(by: string, counter: string): string {
  return `${grownInFiveMinutes(by, counter)} or 0 * sum by (${labels.instance}) (${metrics.collectorUptime})`;
}

const lost = () =>
  linePanel(
    {
      title: 'Lost on the way to a backend',
      description: 'Spans and metric points that a full queue or a backend has refused for good, in five minutes.',
      span: 8,
    },
    'short',
    [rangeQuery(grown('exporter', records.lost), `{{exporter}}`)],
  );

const lostInQueues = () =>
  linePanel(
    {
      title: 'Lost in a queue',
      description:
        'Spans and metric points since the start of the collector that went into a queue and did not come out; counted while ' +
        'the queue is empty. A step is a loss.',
      span: 8,
    },
    'short',
    [
      rangeQuery(
        `clamp_min(${records.lostInQueue}, 0) or 0 * sum by (${labels.instance}) (${metrics.collectorUptime})`,
        `{{exporter}} {{${labels.instance}}}`,
      ),
    ],
  );

const refused = () =>
  linePanel(
    {
      title: 'Refused by a receiver',
      description: 'Spans and metric points that a sender has to send again, in five minutes.',
      span: 8,
    },
    'short',
    [rangeQuery(grown(labels.instance, records.refused), `{{${labels.instance}}}`)],
  );

const memoryRefused = () =>
  linePanel(
    {
      title: 'Refused by the memory limit',
      description: 'Spans and metric points that the memory limiter has refused, in five minutes.',
      span: 12,
    },
    'short',
    [rangeQuery(grown(labels.instance, records.memoryRefused), `{{${labels.instance}}}`)],
  );

const droppedTooEarly = () =>
  linePanel(
    {
      title: 'Traces dropped before their decision',
      description: 'Traces beyond num_traces, in five minutes. The formula for it: arrival rate times decision wait.',
      span: 12,
    },
    'short',
    [rangeQuery(grown(labels.instance, metrics.droppedTooEarly), `{{${labels.instance}}}`)],
  );

const queues = () =>
  linePanel(
    { title: 'Fill level of the queues', description: 'Share of its capacity, for each queue to a backend.', span: 8 },
    'percentunit',
    [rangeQuery(`${metrics.queueSize} / ${metrics.queueCapacity}`, `{{exporter}} {{${labels.instance}}}`)],
  ).max(1);

const waitingTraces = () =>
  linePanel(
    {
      title: 'Traces that wait for a decision',
      description: 'Traces in the memory of tail sampling, at most num_traces.',
      span: 8,
    },
    'short',
    [rangeQuery(metrics.tracesInMemory, `{{${labels.instance}}}`)],
  );

const memory = () =>
  linePanel({ title: 'Memory', description: 'Resident memory of each collector.', span: 8 }, 'bytes', [
    rangeQuery(metrics.collectorMemory, `{{${labels.instance}}}`),
  ]);

const collectors = () =>
  statPanel(
    { title: 'Collectors', description: 'Collectors that report, agents among them.', span: 8 },
    'none',
    1e9,
  ).withTarget(rangeQuery(`count(${metrics.collectorUptime})`, 'collectors'));

const agentCount = () =>
  statPanel(
    { title: 'Agents', description: 'Agents that reported in the last three minutes.', span: 8 },
    'none',
    1e9,
  ).withTarget(rangeQuery(`${records.agents} or vector(0)`, 'agents'));

const series = () =>
  statPanel(
    {
      title: 'Series of Loopwatch',
      description: 'Active series of the instrumentation, of the span metrics and of our recording rules.',
      span: 8,
    },
    'short',
    thresholds.seriesBudget,
  ).withTarget(rangeQuery(records.series, 'series'));
