import { labels, metrics, records } from '../names.ts';
import { blockedShare, lagQuantile, reportingInstances, samplesAboveIncrease } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import type { RecordingGroup } from './model.ts';

export const recordingRules: RecordingGroup = {
  name: 'event_loop.recording',
  // Not the server's: one lag is seen for a minute, and an alert must find it there twice.
  interval: '10s',
  rules: [
    {
      record: records.slowLagIncrease,
      description: `How many events waited longer than ${thresholds.lagSeconds} s in the last minute; only while there are some.`,
      expr: `${samplesAboveIncrease(metrics.lag, thresholds.lagSeconds, '1m')} > 0`,
    },
    {
      record: records.slowPoolIncrease,
      description:
        `How many tasks waited longer than ${thresholds.poolWaitSeconds} s for libuv's thread pool in the last minute; ` +
        'only while there are some.',
      expr: `${samplesAboveIncrease(metrics.poolQueueWait, thresholds.poolWaitSeconds, '1m')} > 0`,
    },
    {
      record: records.lagP99,
      description: 'One event in a hundred waited at least so long, over five minutes.',
      expr: lagQuantile(0.99, '5m'),
    },
    {
      record: records.blockedShare,
      description: 'Share of the last five minutes that the thread spent in blocks.',
      expr: blockedShare('5m'),
    },
    {
      record: records.instances,
      description: `Processes that reported in the last ${thresholds.vanishedAfterSeconds} s.`,
      expr: `count by (${labels.service}) (${reportingInstances(`${thresholds.vanishedAfterSeconds}s`)})`,
    },
  ],
};
