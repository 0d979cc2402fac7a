import { plural } from '../text/format.js';

/** What the instrumentation could not do in a process that it watches, and what follows from it. */
export interface WatchProblem {
  /** Id of the process. */
  readonly instance: string;
  /** A sentence of the instrumentation. */
  readonly text: string;
}

/** `env` of `new Worker` replaces the whole environment, and with it the preload. */
export function unwatchedWorkersText(count: number): string {
  const were = count === 1 ? 'worker thread was' : 'worker threads were';
  return (
    `${count} ${were} not watched. Where new Worker() is given an env, pass on NODE_OPTIONS and ` +
    'LOOPWATCH_RUN_DIRECTORY: env: { ...process.env, … }'
  );
}

/** A hostile process may name any number of them. */
const MAX_SENTENCES = 5;

/** `In process 17 and 2 others: No watchdog thread (…): blocks are reported without stack, …` */
export function problemSentences(problems: readonly WatchProblem[]): string[] {
  const byText = new Map<string, Set<string>>();
  for (const { instance, text } of problems) byText.set(text, (byText.get(text) ?? new Set()).add(instance));
  const sentences = [...byText].slice(0, MAX_SENTENCES).map(([text, instances]) => {
    const [first = ''] = instances;
    const others = instances.size - 1;
    return `In process ${first}${others > 0 ? ` and ${plural(others, 'other')}` : ''}: ${text}`;
  });
  const rest = byText.size - sentences.length;
  return rest > 0 ? [...sentences, `${plural(rest, 'other problem')}: --json has all.`] : sentences;
}
