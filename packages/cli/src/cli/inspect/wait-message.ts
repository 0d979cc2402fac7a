/** After this time without an answer, the user learns what is waited for. */
const WAIT_MESSAGE_MS = 1000;

interface Waiting {
  readonly timeoutMs: number;
  readonly onWait: (message: string) => void;
}

/** Says that a process does not answer, unless the returned function is called soon. */
export function sayWhileWaiting(process: number | string, { timeoutMs, onWait }: Waiting): () => void {
  const timer = setTimeout(() => {
    onWait(
      `Process ${process} does not answer yet: its main thread is inside a call that V8 cannot interrupt, or the machine ` +
        `is busy. Waiting up to ${timeoutMs / 1000} s.`,
    );
  }, WAIT_MESSAGE_MS);
  return () => {
    clearTimeout(timer);
  };
}
