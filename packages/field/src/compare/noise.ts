import type { OutputNoise } from '../program.ts';

/** What differs from run to run in the output of most programs. */
const commonNoise: readonly OutputNoise[] = [
  { pattern: /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?Z?/g, by: '<date>' },
  { pattern: /\(node:\d+\)/g, by: '(node:<pid>)' },
  { pattern: /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M)?/g, by: '<clock>' },
  { pattern: /\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?|µs|μs)\b/g, by: '<duration>' },
];

/** Lines that `loopwatch run` prints. */
const OWN_LINE = 'loopwatch ';

export interface NoiseRules {
  readonly noise?: readonly OutputNoise[];
  readonly unordered?: boolean;
  readonly port: number;
}

/** An answer without what differs from run to run. It is data: numbers in it are not taken for ports and durations. */
export function bodyWithoutNoise(text: string, { noise = [], port }: NoiseRules): string {
  return noise.reduce(
    (rest, { pattern, by = '' }) => rest.replace(pattern, by),
    text.replaceAll(`127.0.0.1:${port}`, '<host>').replaceAll(`localhost:${port}`, '<host>'),
  );
}

/** Output without what differs from run to run. */
export function withoutNoise(text: string, { noise = [], unordered = false, port }: NoiseRules): string {
  const rules = [{ pattern: new RegExp(`\\b${port}\\b`, 'g'), by: '<port>' }, ...noise, ...commonNoise];
  const lines = text.split('\n').flatMap((line) => {
    if (line.startsWith(OWN_LINE)) return [];
    let rest = line;
    for (const { pattern, by } of rules) {
      if (by !== undefined) rest = rest.replace(pattern, by);
      else if (rest.search(pattern) !== -1) return [];
    }
    return [rest.trimEnd()];
  });
  return (unordered ? lines.sort() : lines).join('\n').trim();
}
