/** An expected failure: its message is printed without a stack. */
export class Failure extends Error {
  expected = true;
}
