import type { Mode } from './program.ts';

/** A finding that is known and explained: it does not fail the suite, and the document lists it. */
export interface KnownException {
  readonly program: string;
  readonly modes: readonly Mode[];
  /** What the finding's text contains. */
  readonly what: RegExp;
  readonly reason: string;
}

export const knownExceptions: readonly KnownException[] = [];

export function exceptionFor(program: string, mode: Mode, text: string): KnownException | undefined {
  return knownExceptions.find(
    (exception) => exception.program === program && exception.modes.includes(mode) && exception.what.test(text),
  );
}
