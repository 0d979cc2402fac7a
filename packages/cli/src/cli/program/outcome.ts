import { constants } from 'node:os';
import process from 'node:process';

/** How a program ended. */
export interface Outcome {
  readonly code?: number;
  readonly signal?: NodeJS.Signals;
}

/** Exit code when a block was longer than `--fail-on` allows. */
const EXIT_BLOCKED_TOO_LONG = 3;

/** How a program counts that `--kill-after` has ended: how it ended itself says nothing. `timeout` has the same code. */
export const KILLED: Outcome = { code: 124 };

/** Exit code when Loopwatch itself fails, and for wrong options. */
const EXIT_FAILED = 1;

/** Signals that stop a service after its test. */
const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/** Signals of the keys of a terminal. */
const KEY_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** What else may make `loopwatch run` fail. */
export interface RunFaults {
  readonly blockedTooLong: boolean;
  /** Loopwatch itself failed: a file that was asked for, such as the report of a CI job, is missing. */
  readonly isIncomplete: boolean;
}

/**
 * How `loopwatch run` ends: as the program did, unless the program succeeded and there is a fault. A failure of the program
 * has precedence: it has to be fixed first.
 */
export function finalOutcome(program: Outcome, { blockedTooLong, isIncomplete }: RunFaults): Outcome {
  if (!succeededOrWasStopped(program)) return program;
  if (blockedTooLong) return { code: EXIT_BLOCKED_TOO_LONG };
  return isIncomplete && program.code === 0 ? { code: EXIT_FAILED } : program;
}

function succeededOrWasStopped({ code, signal }: Outcome): boolean {
  if (signal !== undefined) return STOP_SIGNALS.includes(signal);
  return code === 0 || STOP_SIGNALS.some((stop) => code === exitCodeOf(stop));
}

/** Whether a key of a terminal has ended the program (Ctrl+C, Ctrl+\), as far as its end shows. */
export function endedByKey({ code, signal }: Outcome): boolean {
  return KEY_SIGNALS.some((key) => signal === key || code === exitCodeOf(key));
}

/** The exit code that shells give a signal. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Ends this process as the program ended: with its exit code, or by its signal. */
export function endAs({ code, signal }: Outcome): void {
  if (signal === undefined) {
    process.exitCode = code ?? 0;
    return;
  }
  // The first process of a container outlives the signal, and ends with the code that shells give it.
  process.exitCode = exitCodeOf(signal);
  // The listeners that forward signals are removed by now: the signal has its default effect.
  process.once('exit', () => process.kill(process.pid, signal));
}
