import type { Finding } from '../../model/processes/diagnosis.js';
import type { Facts } from './facts.js';

export interface RuleParts<T> {
  /** Stable: scripts may look for it in `--json`. */
  readonly name: string;
  /** The cases that the rule finds in the facts: none where all is well. */
  check(facts: Facts): readonly T[];
  /** What is wrong, and what follows from it: a sentence. */
  summary(found: T): string;
  /** What to do: a sentence or a command. */
  remedy(found: T): string;
}

export interface DiagnosticRule {
  readonly name: string;
  examine(facts: Facts): readonly Finding[];
}

export function rule<T>(parts: RuleParts<T>): DiagnosticRule {
  return {
    name: parts.name,
    examine: (facts) =>
      parts.check(facts).map((found) => ({
        rule: parts.name,
        summary: parts.summary(found),
        remedy: parts.remedy(found),
      })),
  };
}
