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

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the expression must hold before the alert fires; absent: 0 s. */
  readonly for?: string;
  readonly labels: { readonly severity: 'critical' | 'warning' };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>> &
    Readonly<Partial<Record<'dashboard_url' | 'traces_url', string>>>;
}
