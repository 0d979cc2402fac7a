/** A request that repeats an error must not fill the terminal, or the disk behind it. */
const MAX_PRINTED = 10;
const MAX_CHARACTERS = 4_000;

let count = 0;

/** Prints an error that ends nothing. The text can contain what a request has sent: without control characters. */
export function reportFailure(error: unknown): void {
  count += 1;
  if (count > MAX_PRINTED) return;
  console.error(`loopwatch: failed, and goes on: ${textOf(error)}`);
  if (count === MAX_PRINTED) console.error('loopwatch: further errors are not printed.');
}

/** The function, whose errors are printed and end nothing. For timers and events. */
export function guarded<A extends unknown[]>(act: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      act(...args);
    } catch (error) {
      reportFailure(error);
    }
  };
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return text.slice(0, MAX_CHARACTERS).replace(/(?!\n)\p{Cc}/gu, '\ufffd');
}
