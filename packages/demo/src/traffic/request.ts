/** One scenario each; see packages/demo/README.md. */
export type ScenarioName =
  'trace-view' | 'large-payload' | 'schedule-list' | 'dashboard' | 'run-export' | 'rebalance' | 'search' | 'logins';

export interface PlannedRequest {
  readonly kind: 'quick' | ScenarioName;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Delay after the start of the step; absent: sent at the start. */
  readonly delayMs?: number;
  /** The user sends it again as soon as it is answered, for this time. */
  readonly repeatForMs?: number;
  /** JSON. */
  readonly body?: string;
}
