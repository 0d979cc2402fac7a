import { describeCombination } from '@loopwatch/test-support';

import { table } from '../corpus/table.ts';
import { readVictims } from './results.ts';

/** The section on who waited, of docs/evidence/accuracy.md. */
export function victimsSection(): string {
  const results = readVictims();
  return `## Who waited

Two HTTP servers and a consumer of messages run in one process; some 40 requests of eight kinds arrive within two seconds,
at random times of a known seed, and a fifth of them block. The program records each piece of its work. A victim is
**false** where the span is linked to a block of its own request or of another time, or where it can have waited for less
than half of its wait: beside its own work, the reported blocks leave no more. It is **missed** where others worked for
100 ms or more of such blocks while the span was open, and it has less than half of that. "Too long" is how much longer all
waits are than they can have been: who ran before the first answer in a block is not known. The command is \`pnpm --filter @loopwatch/instrumentation-event-loop victims\`.

${results.length === 0 ? 'Not run.' : victimsTable(results)}`;
}

function victimsTable(results: ReturnType<typeof readVictims>): string {
  return table(
    ['', 'machine', 'runs', 'blocks', 'wrong or no parent', 'spans', 'victims', 'false', 'missed', 'too long'],
    results.map(({ combination, date, machine, ...totals }) => [
      describeCombination(combination),
      `${date}, ${machine}`,
      ...[
        totals.runs,
        totals.blocks,
        totals.wrongParents,
        totals.spans,
        totals.victims,
        totals.falseVictims,
        totals.missedVictims,
      ].map(String),
      `${(totals.excessShare * 100).toFixed(1)} %`,
    ]),
  );
}
