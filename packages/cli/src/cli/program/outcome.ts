import process from 'node:process';

/** How a program ended. */
export interface Outcome {
  readonly code?: number;
  readonly signal?: NodeJS.Signals;
}

/** Exit code when something blocked for longer than `--fail-on` allows. */
export const EXIT_BLOCKED_TOO_LONG = 3;

/** Signals by which a program is stopped, not killed: a service under test ends so. With the exit codes shells make of them. */
const STOP_SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * What `loopwatch run` ends with: what the program ended with, unless it did well otherwise and blocked for too long.
 * A program's own failure goes first: it is what has to be mended first.
 */
export function finalOutcome(program: Outcome, blockedTooLong: boolean): Outcome {
  return blockedTooLong && succeededOrWasStopped(program) ? { code: EXIT_BLOCKED_TOO_LONG } : program;
}

function succeededOrWasStopped({ code, signal }: Outcome): boolean {
  if (signal !== undefined) return Object.hasOwn(STOP_SIGNALS, signal);
  return code === 0 || Object.values(STOP_SIGNALS).includes(code ?? 0);
}

/** Ends this process as the program ended: with its code, or by its signal. */
export function endAs({ code, signal }: Outcome): void {
  if (signal === undefined) {
    process.exitCode = code ?? 0;
    return;
  }
  // Listeners are gone by now: the signal does what it does to any program.
  process.once('exit', () => process.kill(process.pid, signal));
}
