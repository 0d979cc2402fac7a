import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

interface Options {
  /** Time limit of all attempts. */
  readonly withinMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks until the answer is as wanted, and returns this answer. After the time limit it throws an error with the last
 * answer. An attempt that throws counts as an unwanted answer, because a test may have stopped the server on purpose.
 */
export async function eventually<Answer, Wanted extends Answer>(
  what: string,
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => answer is Wanted,
  options?: Options,
): Promise<Wanted>;
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
  options?: Options,
): Promise<Answer>;
export async function eventually<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
  { withinMs = 30_000, everyMs = 200 }: Options = {},
): Promise<Answer> {
  const deadlineMs = performance.now() + withinMs;
  let last: unknown;
  do {
    try {
      const answer = await ask();
      if (isWanted(answer)) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    await sleep(everyMs);
  } while (performance.now() < deadlineMs);
  throw new Error(`Expected within ${withinMs / 1000} s: ${what}. The last answer was:\n${show(last)}`, {
    cause: last instanceof Error ? last : undefined,
  });
}

function show(value: unknown): string {
  const text = value instanceof Error ? value.message : inspect(value, { depth: 6, breakLength: 120 });
  return text.length > 4_000 ? `${text.slice(0, 4_000)} …` : text;
}
