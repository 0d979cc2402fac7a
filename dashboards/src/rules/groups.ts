import { applicationAlerts } from './application.ts';
import { busyRules } from './busy.ts';
import { culpritRules } from './culprits.ts';
import type { RuleGroup } from './model.ts';
import { pipelineAlerts, pipelineRules, seriesRules } from './pipeline.ts';
import { recordingRules } from './recording.ts';
import { newCulpritRules, versionRules } from './versions.ts';

/** All groups of the rule file. Each reads what those before it record. */
export const ruleGroups: readonly RuleGroup[] = [
  recordingRules,
  busyRules,
  culpritRules,
  versionRules,
  newCulpritRules,
  applicationAlerts,
  seriesRules,
  pipelineRules,
  pipelineAlerts,
];
