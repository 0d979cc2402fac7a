import { LIMIT_QUESTION, PROBE_SYMBOL, ProbeAnswer } from '../../contract/probe-answers.js';
import type { Registry } from '../../contract/registry.js';
import { RUNS_ON, TERMINATED } from './answer.js';
import { askThread, terminate } from './ask-thread.js';

const EXPRESSION = `globalThis[Symbol.for(${JSON.stringify(PROBE_SYMBOL)})]?.(${JSON.stringify(LIMIT_QUESTION)})`;

/** How much longer, ms, a script may run when its termination is lost. One that is about to end by itself ends within that. */
const GRACE_MS = 50;

/**
 * Repeats a termination that has hit the answer of the thread. A program sets a time limit for a script by `timeout` of
 * `node:vm`: at its end, V8 terminates what runs. If that is the answer, the termination ends in the inspector, and the
 * script would run without a limit, for ever if it does not return.
 *
 * Once the script has returned, a termination would hit other code of the program. So it is repeated only when the
 * thread, in the same iteration, still runs a script of `node:vm` after a while. Calls back when that is settled.
 */
export function repeatLostTermination(
  registry: Registry,
  threadId: number,
  { isStillLate, onSettled }: { readonly isStillLate: () => boolean; readonly onSettled: () => void },
): void {
  setTimeout(() => {
    if (!isStillLate()) {
      onSettled();
      return;
    }
    askThread(registry, threadId, EXPRESSION, {
      onSent: () => undefined,
      onAnswer: (answer) => {
        if (answer === TERMINATED) {
          repeatLostTermination(registry, threadId, { isStillLate, onSettled });
          return;
        }
        const runsOn = answer === ProbeAnswer.running || answer === RUNS_ON;
        if (runsOn && isStillLate()) terminate(registry, threadId);
        onSettled();
      },
    });
  }, GRACE_MS);
}
