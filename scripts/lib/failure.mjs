/** A failure whose message says all there is to say: it is shown without a stack. */
export class Failure extends Error {
  expected = true;
}
