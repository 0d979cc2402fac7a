import { stringify } from 'yaml';

import type { RuleGroup } from './model.ts';

/** Text of a Prometheus rule file. */
export function ruleFile(...groups: readonly RuleGroup[]): string {
  return stringify({ groups }, { lineWidth: 0 });
}
