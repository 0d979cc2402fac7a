import { format, resolveConfig } from 'prettier';

import type { InjectionCost } from './measure.ts';

export interface Pair {
  readonly plain: InjectionCost;
  readonly injected: InjectionCost;
}

const rows = [
  ['start until it listens', 'startMs', 'ms'],
  ['CPU time until it listens', 'startCpuMs', 'ms'],
  ['CPU time of start, SDK and 200 requests', 'totalCpuMs', 'ms'],
  ['memory of its own', 'memoryMib', 'MiB'],
] as const;
const mark = (name: string): string => `<!-- injection-cost:${name} -->`;

/** Writes the table between the marks of docs/kubernetes-injection.md, for each major version of Node.js. */
export async function withCosts(
  text: string,
  file: string,
  results: ReadonlyMap<number, readonly Pair[]>,
): Promise<string> {
  const [before, rest = ''] = text.split(mark('begin'));
  const after = rest.split(mark('end'))[1];
  if (before === undefined || after === undefined)
    throw new Error(`Expected ${mark('begin')} and ${mark('end')} in ${file}.`);
  const pairs = [...results.values()][0]?.length ?? 0;
  const sentence = `Medians of ${pairs} pairs; in parentheses, the lowest and the highest difference.`;
  const replaced = `${before}${mark('begin')}\n\n${sentence}\n\n${table(results)}\n\n${mark('end')}${after}`;
  return format(replaced, { ...(await resolveConfig(file)), filepath: file });
}

function table(results: ReadonlyMap<number, readonly Pair[]>): string {
  const head = '| Node.js | | plain | injected | difference |\n| ---: | --- | ---: | ---: | ---: |';
  const lines = [...results].flatMap(([major, pairs]) =>
    rows.map(([title, key, unit]) => {
      const plain = pairs.map((pair) => pair.plain[key]);
      const injected = pairs.map((pair) => pair.injected[key]);
      const difference = pairs.map((pair) => pair.injected[key] - pair.plain[key]);
      const cells = [median(plain), median(injected)].map((value) => `${value.toFixed(0)} ${unit}`);
      const [low, high] = [Math.min(...difference), Math.max(...difference)].map((value) => value.toFixed(0));
      return `| ${major} | ${title} | ${cells.join(' | ')} | +${median(difference).toFixed(0)} ${unit} (${low} to ${high}) |`;
    }),
  );
  return [head, ...lines].join('\n');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
