/** Prometheus' rule files, as far as we use them. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly (RecordingRule | AlertingRule)[];
}

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the expression must hold; absent: at once. */
  readonly for?: string;
  readonly labels: { readonly severity: 'critical' | 'warning' };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>> &
    Readonly<Partial<Record<'dashboard_url' | 'traces_url', string>>>;
}
