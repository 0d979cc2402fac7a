/** After this time without an answer, the user learns what is waited for. */
const WAIT_MESSAGE_MS = 1000;

interface Waiting {
  readonly timeoutMs: number;
  /** Its inspector is opened by SIGUSR1, for which the program may have a listener of its own. */
  readonly isSignalled?: boolean;
  readonly onWait: (message: string) => void;
}

/** Says that a process does not answer, unless the returned function is called soon. */
export function sayWhileWaiting(
  process: number | string,
  { timeoutMs, isSignalled = false, onWait }: Waiting,
): () => void {
  const timer = setTimeout(() => {
    const reasons = [
      'its main thread is inside a call that V8 cannot interrupt',
      ...(isSignalled ? ['the program has a listener of its own for SIGUSR1'] : []),
    ];
    onWait(
      `Process ${process} does not answer yet: ${reasons.join(', ')}, or the machine is busy. Waiting up to ` +
        `${timeoutMs / 1000} s.`,
    );
  }, WAIT_MESSAGE_MS);
  return () => {
    clearTimeout(timer);
  };
}
