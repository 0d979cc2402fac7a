/** What `loopwatch doctor` has found. */
export interface Diagnosis {
  /** The directory or the process that was examined. */
  readonly subject: string;
  /** What was seen, found fault with or not: a label and a text. */
  readonly observations: readonly Observation[];
  readonly findings: readonly Finding[];
}

export interface Observation {
  readonly label: string;
  readonly text: string;
}

/** Something that is wrong, and what to do about it. */
export interface Finding {
  /** Name of the rule. */
  readonly rule: string;
  readonly summary: string;
  readonly remedy: string;
}
