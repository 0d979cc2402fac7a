interface RefusalOptions {
  /** It may not hold in a moment: another process has the port just now, or this one is only starting. */
  readonly isTemporary?: boolean;
}

/** Why a process is not touched: what was expected, what was found, and what to do. */
export class Refusal extends Error {
  readonly problem: string;
  readonly advice: string;
  readonly isTemporary: boolean;

  constructor(expected: string, found: string, advice: string, options: RefusalOptions = {}) {
    const problem = `Expected ${expected}, found ${found}`;
    super(`${problem}. ${advice}`);
    this.problem = problem;
    this.advice = advice;
    this.isTemporary = options.isTemporary === true;
  }
}
