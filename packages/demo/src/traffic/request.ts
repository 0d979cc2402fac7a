/** What users do that blocks the service, one story each. All of a kind are sent at once. */
export type ScenarioName = 'trace-view' | 'large-payload' | 'schedule-list' | 'dashboard' | 'run-export' | 'rebalance';

export interface PlannedRequest {
  readonly kind: 'quick' | ScenarioName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** How long after the other requests of its step it is sent; absent: at once. */
  readonly delayMs?: number;
  /** JSON. */
  readonly body?: string;
}
