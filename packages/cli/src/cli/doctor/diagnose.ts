import type { Diagnosis } from '../../model/processes/diagnosis.js';
import { collectFacts } from './collect/collect-facts.js';
import { examine } from './examine.js';
import { observationsOf } from './observations.js';

/** Examines a process, or the working directory and the environment of this command. */
export async function diagnose(pid: number | undefined, loopwatchVersion: string): Promise<Diagnosis> {
  const facts = await collectFacts(pid, loopwatchVersion);
  return {
    subject: pid === undefined ? facts.target.directory : `process ${pid}`,
    observations: observationsOf(facts),
    findings: examine(facts),
  };
}
