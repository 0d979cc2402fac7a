import { labels, metrics, records } from '../names.ts';
import { selector } from '../promql.ts';
import { by, levels, on } from './levels.ts';
import type { RecordingGroup } from './model.ts';

const rate = (range: string, ...matchers: string[]): string =>
  `rate(${metrics.busyTime}${selector(...matchers)}[${range}])`;

/** The request or function with the most busy time of each thread, and its share of that time. */
const most = (label: string, level: readonly string[]): string => {
  const shares =
    `sum ${by(level)} (${rate('10m', `${label}!~"|other"`)}) / ` +
    `${on(levels.thread)} group_left () sum ${by(levels.thread)} (${rate('10m')})`;
  return `topk ${by(levels.thread)} (1, ${shares} > 0)`;
};

const mainThreads = `count ${by(levels.version)} (${metrics.utilization}${selector(`${labels.threadName}="main"`)})`;

/** Where the time of the loops goes, of services and versions; of a thread only what it does most. */
export const busyRules: RecordingGroup = {
  name: 'event_loop.busy',
  interval: '30s',
  rules: [
    {
      record: records.busyOfRequests,
      description:
        'Seconds in each second for which the loops were busy with a request; without the label: outside of one.',
      expr: `sum ${by(levels.request)} (${rate('5m')})`,
    },
    {
      record: records.busyOfFunctions,
      description: 'Seconds in each second for which the loops were busy in a function.',
      expr: `sum ${by(levels.function)} (${rate('5m')})`,
    },
    {
      record: records.threads,
      description: 'Threads with a loop: the capacity of a version, as each has one second in each second.',
      expr: `${mainThreads} + (sum ${by(levels.version)} (${metrics.threads}) or 0 * ${mainThreads})`,
    },
    {
      record: records.busyShare,
      description: 'Busy time as a share of that capacity.',
      expr: `sum ${by(levels.version)} (${rate('5m')}) / ${records.threads}`,
    },
    {
      record: records.topRequest,
      description: 'The request with the most busy time of a thread in ten minutes, and its share of that time.',
      expr: most(labels.request, levels.thread_request),
    },
    {
      record: records.topFunction,
      description: 'The function with the most busy time of a thread in ten minutes, and its share of that time.',
      expr: most(labels.function, levels.thread_function),
    },
  ],
};
