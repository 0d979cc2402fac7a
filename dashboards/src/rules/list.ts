import { labels } from '../names.ts';
import { inLines } from './lines.ts';
import { levels } from './levels.ts';
import type { RecordingRule, RuleGroup } from './model.ts';

/** The levels of rules whose labels follow from the metric. */
const otherLevels: Readonly<Record<string, readonly string[]>> = {
  lane: [labels.service, labels.instance, labels.poolLane],
  collector: [labels.instance],
  exporter: [labels.instance, 'exporter'],
  receiver: [labels.instance, 'receiver'],
  loopwatch: [],
};

/** Text of the page that lists the recording rules. */
export function ruleList(groups: readonly RuleGroup[]): string {
  const rules = groups.flatMap((group) => group.rules).filter((rule): rule is RecordingRule => 'record' in rule);
  const used = [...new Set(rules.map(({ record }) => levelOf(record)))];
  return [
    '# Recording rules',
    '',
    '<!-- Generated from dashboards/src/rules: change it there, then run `npm run generate`. -->',
    '',
    'Dashboards and alerts read these series, and so can your own queries. Each name is `level:metric:operations`, as',
    'Prometheus recommends. The level says which labels are left. A label that the processes do not send is absent:',
    '`deployment_environment_name`, `service_version`.',
    '',
    '| level | labels |',
    '| --- | --- |',
    ...used.map((level) => `| \`${level}\` | ${labelsOf(level)} |`),
    '',
    'All rules work with classic and native histograms.',
    '',
    ...rules.flatMap(({ record, description, expr }) => [
      `## \`${record}\``,
      '',
      description,
      '',
      '```promql',
      inLines(expr),
      '```',
      '',
    ]),
  ].join('\n');
}

function levelOf(record: string): string {
  return record.slice(0, record.indexOf(':'));
}

function labelsOf(level: string): string {
  const known: Readonly<Record<string, readonly string[]>> = { ...levels, ...otherLevels };
  const names = known[level];
  if (names === undefined) throw new Error(`Expected the level of a rule to be in levels, got ${level}.`);
  return names.length === 0 ? 'none' : names.map((name) => `\`${name}\``).join(', ');
}
