import type { Mode } from './program.ts';

/** A finding that is known and explained: it does not fail the suite, and the document lists it. */
export interface KnownException {
  readonly program: string;
  readonly modes: readonly Mode[];
  /** What the finding's text contains. */
  readonly what: RegExp;
  readonly reason: string;
}

export const knownExceptions: readonly KnownException[] = [
  {
    program: 'apollo',
    modes: ['auto+register'],
    what: /^not reported: /,
    reason:
      'each request has up to 27,000 spans of resolvers, and the queue of the SDK (`OTEL_BSP_MAX_QUEUE_SIZE`, 2,048 by ' +
      'default) drops what comes when it is full, the span of the block too. With a queue of 200,000 all blocks arrived.',
  },
];

export function exceptionFor(program: string, mode: Mode, text: string): KnownException | undefined {
  return knownExceptions.find(
    (exception) => exception.program === program && exception.modes.includes(mode) && exception.what.test(text),
  );
}
