import { LIMIT_QUESTION, PROBE_SYMBOL, ProbeAnswer } from '../../contract/probe-answers.js';
import type { Registry } from '../../contract/registry.js';
import { RUNS_ON, TERMINATED } from './answer.js';
import { askThread, terminate } from './ask-thread.js';

const EXPRESSION = `globalThis[Symbol.for(${JSON.stringify(PROBE_SYMBOL)})]?.(${JSON.stringify(LIMIT_QUESTION)})`;

/** How much longer, ms, a script may run when its termination is lost. One that is about to end by itself ends within that. */
const GRACE_MS = 50;

/** The threads whose termination is about to be repeated: once, whatever the further answers say. */
const repeating = new Set<number>();

/**
 * Repeats a termination that has hit the answer of the thread. A program sets a time limit for a script by `timeout` of
 * `node:vm`: at its end, V8 terminates what runs. If that is the answer, the termination ends in the inspector, and the
 * script would run without a limit, for ever if it does not return.
 *
 * Once the script has returned, a termination would hit other code of the program. So it is repeated only when the
 * thread, in the same iteration, still runs a script of `node:vm` after a while.
 */
export function repeatLostTermination(registry: Registry, threadId: number, isStillLate: () => boolean): void {
  if (repeating.has(threadId)) return;
  repeating.add(threadId);
  setTimeout(() => {
    if (!isStillLate()) {
      repeating.delete(threadId);
      return;
    }
    askThread(registry, threadId, EXPRESSION, {
      onSent: () => undefined,
      onAnswer: (answer) => {
        repeating.delete(threadId);
        const runsOn = answer === ProbeAnswer.running || answer === RUNS_ON;
        if (runsOn && isStillLate()) terminate(registry, threadId);
        else if (answer === TERMINATED) repeatLostTermination(registry, threadId, isStillLate);
      },
    });
  }, GRACE_MS);
}
