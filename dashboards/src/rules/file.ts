import { Document, isNode, type Node } from 'yaml';

import { inLines } from './lines.ts';
import type { RecordingRule, RuleGroup } from './model.ts';

/** Text of a Prometheus rule file, in which the description of a rule is the comment above it. */
export function ruleFile(...groups: readonly RuleGroup[]): string {
  const document = new Document({ groups: groups.map(withoutDescriptions) });
  groups.forEach(({ rules }, group) => {
    rules.forEach((rule, index) => {
      const node: unknown = document.getIn(['groups', group, 'rules', index], true);
      if ('record' in rule && isNode(node)) (node as Node).commentBefore = ` ${rule.description}`;
    });
  });
  return document.toString({ lineWidth: 0 });
}

function withoutDescriptions({ rules, ...group }: RuleGroup): object {
  return {
    ...group,
    rules: rules.map((rule) => ('record' in rule ? recorded(rule) : { ...rule, expr: inLines(rule.expr) })),
  };
}

function recorded({ record, expr }: RecordingRule): object {
  return { record, expr: inLines(expr) };
}
