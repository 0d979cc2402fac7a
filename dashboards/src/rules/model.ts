import { labels } from '../names.ts';

/** The part of Prometheus' rule files that we use. */
export interface RuleGroup {
  readonly name: string;
  /** Absent: Prometheus' own interval. */
  readonly interval?: string;
  readonly rules: readonly (RecordingRule | AlertingRule)[];
}

export interface RecordingGroup extends RuleGroup {
  readonly rules: readonly RecordingRule[];
}

export interface RecordingRule {
  readonly record: string;
  /** What a value says, for the list of rules. */
  readonly description: string;
  readonly expr: string;
}

/** What Alertmanager routes by; the last one is a template of Prometheus. */
export type Severity = 'critical' | 'warning' | typeof criticalInMain;

/**
 * A worker thread of a pool does long tasks on purpose, and requests wait for it only where all workers are busy. Where the
 * label of the thread has been dropped on the way, it may be the main thread.
 */
export const criticalInMain =
  `{{ if eq $labels.${labels.threadName} "main" "" }}critical{{ else }}warning{{ end }}` as const;

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the expression must hold before the alert fires; absent: 0 s. */
  readonly for?: string;
  readonly labels: { readonly severity: Severity };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>> &
    Readonly<Partial<Record<'dashboard_url' | 'traces_url', string>>>;
}
