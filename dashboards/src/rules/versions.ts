import { labels, metrics, records } from '../names.ts';
import { lagPresence, selector } from '../promql.ts';
import { thresholds } from '../thresholds.ts';
import { by, levels, on } from './levels.ts';
import type { RecordingGroup } from './model.ts';

/** The culprit of all functions that have no series of their own. */
const otherCulprits = 'other';
const isVersion = `${labels.version}!=""`;
const isNamed = `${labels.function}!~"|${otherCulprits}"`;

/** A rule that reads its own last result: it remembers. Prometheus may be down for six hours. */
const lastOf = (record: string): string => `last_over_time(${record}[6h])`;
const memorySeconds = thresholds.culpritMemoryDays * 24 * 60 * 60;
const culpritOfVersion = [labels.service, labels.version, labels.function];
const functionOfService = [...levels.service, labels.function];
const lead = records.newestVersionLead;

/**
 * What is remembered of versions. A range over the history would read all of it, and see no further than the retention.
 */
export const versionRules: RecordingGroup = {
  name: 'event_loop.versions',
  interval: '30s',
  rules: [
    {
      record: records.version,
      description: 'Versions that report.',
      expr: `group ${by(levels.version)} (${lagPresence(isVersion)})`,
    },
    {
      record: records.versionFirstSeen,
      description: `When a version was first seen. Remembered for ${thresholds.culpritMemoryDays} days after its end.`,
      expr:
        `${lastOf(records.versionFirstSeen)} and ${on(levels.version)} ${records.version} or ` +
        `${lastOf(records.versionFirstSeen)} > time() - ${memorySeconds} or 0 * ${records.version} + time()`,
    },
    {
      record: lead,
      description:
        'How much later than the first version the newest one of a service was seen; of the newest version alone.',
      expr:
        `(${records.versionFirstSeen} == ${on(levels.service)} group_left () max ${by(levels.service)} (${records.versionFirstSeen})) - ` +
        `${on(levels.service)} group_left () min ${by(levels.service)} (${records.versionFirstSeen})`,
    },
    {
      record: records.culpritLastBlocked,
      description: `When a function of a version last blocked. Remembered for ${thresholds.culpritMemoryDays} days.`,
      expr:
        `0 * (${records.culpritBlocks}${selector(isVersion, isNamed)} > 0) + time() or ` +
        `${lastOf(records.culpritLastBlocked)} > time() - ${memorySeconds}`,
    },
    {
      record: records.culpritLine,
      description: 'The line in which a function of a version blocked most, by the spans that the collector counted.',
      expr:
        `topk ${by(culpritOfVersion)} (1, sum ${by(levels.line)} ` +
        `(histogram_sum(${metrics.blockSpanDuration}${selector(`${labels.file}!=""`)})))`,
    },
    {
      record: records.culpritPlace,
      description:
        'When a function of a version last had blocks, with their line where spans have it. Remembered for ' +
        `${thresholds.culpritMemoryDays} days. Dashboards take the line from it.`,
      expr:
        `0 * (${records.culpritLine} or ${on(culpritOfVersion)} group ${by(culpritOfVersion)} (${records.culpritTotal})) + time() ` +
        `or ${on(culpritOfVersion)} topk ${by(culpritOfVersion)} (1, ${lastOf(records.culpritPlace)} > time() - ${memorySeconds})`,
    },
  ],
};

/**
 * The culprits of the newest version of each service that no other version has had. A function that was among the `other`
 * culprits before had no name there, so a new name must exceed all of them.
 */
export const newCulpritRules: RecordingGroup = {
  name: 'event_loop.new_culprits',
  rules: [
    {
      record: records.newCulpritMinutes,
      description:
        'In how many of ten minutes a culprit of the newest version must have blocked to be new. Only with an hour of another ' +
        'version before: the shorter the history, the more functions that block rarely are not in it.',
      expr: `${thresholds.newCulpritMinutes} + (${lead} < bool ${thresholds.shortBaselineSeconds}) and ${lead} >= ${thresholds.baselineSeconds}`,
    },
    {
      record: records.otherCulprits,
      description:
        'Most blocked seconds in ten minutes of a day, of the functions without a series of their own in older versions.',
      expr:
        `max ${by(levels.service)} (max_over_time(${records.culpritSeconds}${selector(`${labels.function}="${otherCulprits}"`)}[1d]) ` +
        `unless ${on(levels.version)} ${lead})`,
    },
    {
      record: records.culpritMinutes,
      description:
        'In how many of the last ten minutes a culprit blocked, if it blocked again two minutes after it had been seen or ' +
        'later: a function that blocks once in hours does so in a burst.',
      // Without a sample a minute ago, its first blocks are in this one.
      expr:
        `count_over_time((${records.culpritTotal} > (${records.culpritTotal} offset 1m or 0 * ${records.culpritTotal}))[10m:1m]) ` +
        `and ${records.culpritTotal} > min_over_time(${records.culpritTotal}[8m] offset 2m)`,
    },
    {
      record: records.heavyCulprits,
      description:
        'Blocked seconds of the culprits of the newest version that have blocked often and long enough to be new ones.',
      expr: [
        `${records.culpritSeconds}${selector(isVersion, isNamed)}`,
        `and ${on(levels.version)} ${records.newCulpritMinutes}`,
        `and ${records.culpritBlocks} >= ${thresholds.newCulpritBlocks}`,
        `and ${records.culpritOwnSeconds} >= ${thresholds.newCulpritOwnSeconds}`,
        `and ${records.culpritOwnSeconds} / ${records.culpritSeconds} >= ${thresholds.newCulpritOwnShare}`,
      ].join(' '),
    },
    {
      record: records.newCulprits,
      description: 'Of these, those that no other version has had.',
      expr: [
        records.heavyCulprits,
        `unless ${on(functionOfService)} (${records.culpritLastBlocked} unless ${on(levels.version)} ${lead})`,
        `unless (${records.heavyCulprits} <= ${on(levels.service)} group_left () ${records.otherCulprits})`,
      ].join(' '),
    },
  ],
};

/** The condition of the alert on new culprits. */
export const newCulprits =
  `${records.newCulprits} and ` +
  `${records.culpritMinutes} >= ${on(levels.version)} group_left () ${records.newCulpritMinutes}`;
