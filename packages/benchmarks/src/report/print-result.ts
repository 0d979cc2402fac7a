import type { BenchResult } from '../result.ts';
import { changesSince } from './changes.ts';
import { preamble } from './preamble.ts';
import { sectionsOf } from './sections.ts';

export function printResult(result: BenchResult, previous: BenchResult | undefined): void {
  console.log(`\n${preamble(result).join('\n')}`);
  for (const { title, table, note } of sectionsOf(result)) {
    console.log(`\n${title}\n\n${table}${note === undefined ? '' : `\n\n${note}`}`);
  }
  if (!previous) return;
  console.log(`\nSince ${previous.date}: ${changesSince(previous, result).join('; ') || 'nothing got worse'}.`);
}
