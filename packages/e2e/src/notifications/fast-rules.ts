import { thresholds } from '@loopwatch/dashboards';
import { parse, stringify } from 'yaml';

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly interval?: string; readonly rules: readonly Rule[] }[];
}

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Not in names of series, such as `service:event_loop_lag:p99_rate5m`. */
const duration = /(?<![\w.])(\d+)(ms|s|m|h|d)\b/g;

/** Names of the alerts in a file of rules. */
export function alertNames(rules: string): string[] {
  return (parse(rules) as RuleFile).groups.flatMap(({ rules: each }) => each.flatMap(({ alert }) => alert ?? []));
}

/**
 * The rules of a world in which time runs so many times as fast: ten minutes take half a minute. Every range, offset and
 * waiting time is shorter and each group is evaluated once a second; thresholds and annotations are the same.
 */
export function fastRules(rules: string, factor: number): string {
  const { groups } = parse(rules) as RuleFile;
  const isAge = new RegExp(`\\b(${thresholds.baselineSeconds}|${thresholds.shortBaselineSeconds})\\b`, 'g');
  const shortened = (text: string): string =>
    text
      .replaceAll(duration, (_, count: string, unit: string) => `${(Number(count) * unitsMs[unit]!) / factor}ms`)
      .replaceAll(isAge, (seconds) => String(Number(seconds) / factor));
  return stringify({
    groups: groups.map((group) => ({
      ...group,
      interval: '1s',
      rules: group.rules.map((rule) => ({
        ...rule,
        expr: shortened(rule.expr),
        ...(rule.for === undefined ? {} : { for: shortened(rule.for) }),
      })),
    })),
  });
}
