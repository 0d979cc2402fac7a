import { labels, metrics, records } from '../names.ts';
import { blockedShare, lagQuantile, reportingInstances, samplesAboveIncrease } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import type { RuleGroup } from './model.ts';

export const recordingRules: RuleGroup = {
  name: 'event_loop.recording',
  rules: [
    { record: records.slowLagIncrease, expr: `${samplesAboveIncrease(metrics.lag, thresholds.lagSeconds, '1m')} > 0` },
    {
      record: records.slowPoolIncrease,
      expr: `${samplesAboveIncrease(metrics.poolQueueWait, thresholds.poolWaitSeconds, '1m')} > 0`,
    },
    { record: records.lagP99, expr: lagQuantile(0.99, '5m') },
    { record: records.blockedShare5m, expr: blockedShare('5m') },
    { record: records.blockedShare1h, expr: blockedShare('1h') },
    {
      record: records.instances,
      expr: `count by (${labels.service}) (${reportingInstances(`${thresholds.vanishedAfterSeconds}s`)})`,
    },
  ],
};
