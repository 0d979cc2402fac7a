/** Why a process is not touched: what was expected, what was found, and what to do. */
export class Refusal extends Error {
  constructor(expected: string, found: string, advice: string) {
    super(`Expected ${expected}, found ${found}. ${advice}`);
  }
}
