import type { Findings } from '../findings.ts';
import { titleOf } from '../failures.ts';

/** A run's findings for the terminal. */
export function describeFindings(name: string, findings: Findings): string {
  const { counts, differences, blocks, misses, seconds } = findings;
  const lines = [
    ...differences.map((difference) => `differs: ${difference}`),
    ...blocks.map(
      ({ verdict, culprit, durationMs, cause, stackQuality, reason }) =>
        `${verdict}: ${durationMs} ms ${cause} ${stackQuality} ${culprit || 'no culprit'}: ${reason}`,
    ),
    ...misses.map((miss) => `missed: ${miss}`),
  ];
  const summary =
    `${counts.right} right, ${counts.wrong} wrong, ${counts.unnamed} unnamed, ${counts.unchecked} unchecked, ` +
    `${misses.length} missed, in ${seconds} s`;
  return [`${titleOf(name, findings)}: ${summary}`, ...lines.map((line) => `  ${line}`)].join('\n');
}
