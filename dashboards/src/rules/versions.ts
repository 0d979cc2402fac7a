import { labels, metrics, records } from '../names.ts';
import { byFunction, exactIncrease, lagPresence, selector } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import type { RuleGroup } from './model.ts';

const perService = [labels.service, labels.environment];
const perVersion = [...perService, labels.version];
const perCulprit = [...perVersion, labels.function];

const by = (names: readonly string[]): string => `by (${names.join(', ')})`;
const on = (names: readonly string[]): string => `on (${names.join(', ')})`;

/** The culprit of all functions that have no series of their own. */
const otherCulprits = 'other';
const isVersion = `${labels.version}!=""`;
const isNamed = `${labels.function}!~"|${otherCulprits}"`;

const increaseOf = (part: Parameters<typeof exactIncrease>[0], metric: string, ...matchers: string[]): string =>
  `sum ${by(perCulprit)} (${exactIncrease(part, metric, '10m', selector(...matchers))})`;
const blocksOf = (part: 'sum' | 'count'): string =>
  byFunction(perVersion, (metric, ...matchers) => increaseOf(part, metric, ...matchers));
const totalOf = (metric: string, ...matchers: string[]): string => {
  const where = selector(...matchers);
  return `sum ${by(perCulprit)} (${metric}_count${where} or histogram_count(${metric}${where}))`;
};

/** What each culprit of each version did in the last ten minutes. */
export const culpritRules: RuleGroup = {
  name: 'event_loop.culprits',
  rules: [
    { record: records.culpritSeconds, expr: blocksOf('sum') },
    { record: records.culpritBlocks, expr: blocksOf('count') },
    {
      // Without the zero that Prometheus makes of the start of a series: it is no block.
      record: records.culpritTotal,
      expr: `(${byFunction(perVersion, totalOf)}) > 0`,
    },
    {
      // Without the time in which the thread waited for a CPU: a busy host makes blocks of fast functions.
      record: records.culpritOwnSeconds,
      expr:
        `clamp_min(${records.culpritSeconds} - ` +
        `(${increaseOf('counter', metrics.blockedRunQueueTime)} or 0 * ${records.culpritSeconds}), 0)`,
    },
  ],
};

/** A rule that reads its own last result: it remembers. Prometheus may be down for six hours. */
const lastOf = (record: string): string => `last_over_time(${record}[6h])`;
const memorySeconds = thresholds.culpritMemoryDays * 24 * 60 * 60;
const present = `group ${by(perVersion)} (${lagPresence(isVersion)})`;

/**
 * What is remembered of versions. A range over the history would read all of it, and see no further than the retention.
 */
export const versionRules: RuleGroup = {
  name: 'event_loop.versions',
  interval: '30s',
  rules: [
    {
      record: records.versionFirstSeen,
      expr:
        `(${lastOf(records.versionFirstSeen)} and ${on(perVersion)} ${present}) or ` +
        `(${lastOf(records.versionFirstSeen)} > time() - ${memorySeconds}) or (0 * ${present} + time())`,
    },
    {
      // Only the newest version of a service has it: how much earlier the first one was seen.
      record: records.newestVersionLead,
      expr:
        `(${records.versionFirstSeen} == ${on(perService)} group_left () max ${by(perService)} (${records.versionFirstSeen})) - ` +
        `${on(perService)} group_left () min ${by(perService)} (${records.versionFirstSeen})`,
    },
    {
      record: records.culpritLastBlocked,
      expr:
        `(0 * (${records.culpritBlocks}${selector(isVersion, isNamed)} > 0) + time()) or ` +
        `(${lastOf(records.culpritLastBlocked)} > time() - ${memorySeconds})`,
    },
  ],
};

/** In how many of the last ten minutes a culprit blocked. Without a sample a minute ago, its first blocks are in this one. */
const minutesWithBlocks =
  `count_over_time((${records.culpritTotal} > (${records.culpritTotal} offset 1m or 0 * ${records.culpritTotal}))` +
  `[10m:1m])`;

/**
 * The culprits of the newest version of each service that no other version has had: their blocked time in the last ten
 * minutes. A function that was among the `other` culprits before had no name there, so a new name must exceed all of them.
 */
export const newCulprits = ((): string => {
  const lead = records.newestVersionLead;
  const others =
    `max ${by(perService)} (max_over_time(${records.culpritSeconds}${selector(`${labels.function}="${otherCulprits}"`)}[1d]) ` +
    `unless ${on(perVersion)} ${lead})`;
  const seconds = `${records.culpritSeconds}${selector(isVersion, isNamed)}`;
  return [
    seconds,
    `and ${records.culpritBlocks} >= ${thresholds.newCulpritBlocks}`,
    `and ${records.culpritOwnSeconds} >= ${thresholds.newCulpritOwnSeconds}`,
    `and ${records.culpritOwnSeconds} / ${records.culpritSeconds} >= ${thresholds.newCulpritOwnShare}`,
    // It blocked again two minutes after it had been seen or later: a function that blocks once in hours does so in a burst.
    `and ${records.culpritTotal} > min_over_time(${records.culpritTotal}[8m] offset 2m)`,
    `and ${on(perVersion)} ${lead} >= ${thresholds.baselineSeconds}`,
    // The shorter the history, the more functions that block rarely are not in it.
    `and ${minutesWithBlocks} >= ${on(perVersion)} group_left () ` +
      `(${thresholds.newCulpritMinutes} + (${lead} < bool ${thresholds.shortBaselineSeconds}))`,
    `unless ${on([...perService, labels.function])} (${records.culpritLastBlocked} unless ${on(perVersion)} ${lead})`,
    `unless (${seconds} <= ${on(perService)} group_left () ${others})`,
  ].join(' ');
})();
