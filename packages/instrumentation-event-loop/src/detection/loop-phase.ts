import type { StartUp } from '../contract/model.js';

/**
 * How far the thread is:
 * - `loading`: its entry point has not been evaluated, and its loop has not iterated: it cannot be late;
 * - `starting`: it can be late, and nothing shows that the application runs in the loop;
 * - `serving`: the entry point waits in a top-level `await`, and the loop runs the application;
 * - `running`: the entry point has been evaluated.
 */
export type LoopPhase = 'loading' | 'starting' | 'serving' | 'running';

/** What begins the next phase: `watched`: start-up counts, too; `iterated`: the loop has done so. */
export type LoopEvent = 'watched' | 'iterated' | 'applicationSeen' | 'evaluated';

const NEXT: Readonly<Record<LoopPhase, Readonly<Partial<Record<LoopEvent, LoopPhase>>>>> = {
  loading: { watched: 'starting', iterated: 'starting', evaluated: 'running' },
  starting: { applicationSeen: 'serving', evaluated: 'running' },
  serving: { evaluated: 'running' },
  running: {},
};

/** The phase after an event, which is the same one where the event changes nothing. */
export function phaseAfter(phase: LoopPhase, event: LoopEvent): LoopPhase {
  return NEXT[phase][event] ?? phase;
}

/** Whether nothing shows yet that the application runs in the loop. */
export function isStartingUp(phase: LoopPhase): boolean {
  return phase === 'loading' || phase === 'starting';
}

export function startUpIn(phase: LoopPhase): StartUp {
  return isStartingUp(phase) ? 'likely' : phase === 'serving' ? 'possible' : 'over';
}
