import { ProbeAnswer } from '../../contract/probe-answers.js';

/**
 * What a thread whose loop does not iterate is doing, by its answers:
 * - `busy`: it runs, or does not answer;
 * - `idle`: it sleeps on purpose (a pool worker in `Atomics.wait` with nothing pending);
 * - `stuck`: it sleeps in `Atomics.wait` while work of its own is pending.
 */
export type Phase = 'busy' | 'idle' | 'stuck';

/** Undefined for an answer between two microtasks or shortly before the poll phase, which does not show the phase. */
export function phaseOf(answer: number): Phase | undefined {
  if (answer === ProbeAnswer.running) return 'busy';
  if (answer === ProbeAnswer.asleepWithPending) return 'stuck';
  return answer === ProbeAnswer.asleep ? 'idle' : undefined;
}
