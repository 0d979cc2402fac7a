import type { Finding } from '../../model/diagnosis.js';
import type { Facts } from './facts.js';
import { connectionRules } from './rules/connection.js';
import { environmentRules } from './rules/environment.js';
import { installationRules } from './rules/installation.js';
import { processRules } from './rules/process.js';
import type { Rule } from './rule.js';

/** All rules, in the order in which a user mends what they find. */
export const rules: readonly Rule[] = [...installationRules, ...environmentRules, ...processRules, ...connectionRules];

export function examine(facts: Facts): Finding[] {
  return rules.flatMap((rule) => rule.examine(facts));
}
