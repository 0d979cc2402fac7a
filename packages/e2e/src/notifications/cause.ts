/** What makes an alert fire. */
export interface Cause {
  /** That the alert names; empty for most alerts on the pipeline. */
  readonly service: string;
  readonly text: RegExp;
  /** What must have been seen for so long before. */
  readonly historySeconds: number;
  /** Sends what a second brings, with the fault or without. */
  readonly everySecond: (isFaulty: boolean) => Promise<void>;
  /** Ends what still runs. */
  readonly stop?: () => void;
}

/** For the ranges and offsets of the rules in their fast form, and some seconds of the pipeline. */
export const history = { short: 10, instances: 35, agents: 65, versions: 188 } as const;
