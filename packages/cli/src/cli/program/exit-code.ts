import type { Outcome } from './child.js';

/** Exit code when something blocked for longer than `--fail-on` allows. */
export const EXIT_BLOCKED_TOO_LONG = 3;

/** Signals by which a program is stopped, not killed: a service under test ends so. With the exit codes shells make of them. */
const STOPPING: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * What `loopwatch run` ends with: what the program ended with, unless it did well otherwise and blocked for too long.
 * A program's own failure goes first: it is what has to be mended first.
 */
export function finalOutcome(program: Outcome, blockedTooLong: boolean): Outcome {
  return blockedTooLong && didWell(program) ? { code: EXIT_BLOCKED_TOO_LONG } : program;
}

function didWell({ code, signal }: Outcome): boolean {
  if (signal !== undefined) return Object.hasOwn(STOPPING, signal);
  return code === 0 || Object.values(STOPPING).includes(code ?? 0);
}
