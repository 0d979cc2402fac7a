import type { Diagnosis, Finding } from '../../model/processes/diagnosis.js';
import { collectFacts } from './collect/collect-facts.js';
import type { Facts } from './facts.js';
import { observationsOf } from './observations.js';
import type { DiagnosticRule } from './rule.js';
import { connectionRules } from './rules/connection.js';
import { environmentRules } from './rules/environment.js';
import { installationRules } from './rules/installation.js';
import { processRules } from './rules/process.js';

/** All rules, in the order in which a user mends what they find. */
export const rules: readonly DiagnosticRule[] = [
  ...installationRules,
  ...environmentRules,
  ...processRules,
  ...connectionRules,
];

/** Of a process that is no Node.js, the other rules would say how to instrument it. */
const ONLY_RULE_OF_OTHERS = 'process-cannot-be-asked';

/** Examines a process, or the working directory and the environment of this command. */
export async function diagnose(pid: number | undefined, loopwatchVersion: string): Promise<Diagnosis> {
  const facts = await collectFacts(pid, loopwatchVersion);
  return {
    subject: pid === undefined ? facts.target.directory : `process ${pid}`,
    observations: observationsOf(facts),
    findings: examine(facts),
  };
}

export function examine(facts: Facts): Finding[] {
  const isOther = facts.target.process?.isNode === false;
  return rules.filter(({ name }) => !isOther || name === ONLY_RULE_OF_OTHERS).flatMap((rule) => rule.examine(facts));
}
