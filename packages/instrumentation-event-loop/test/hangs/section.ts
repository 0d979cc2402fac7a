import { describeCombination } from '@loopwatch/test-support';

import { table } from '../corpus/table.ts';
import { hangKinds } from './kinds.ts';
import { readHangs } from './results.ts';

/** The section on hangs, of docs/evidence/accuracy.md. */
export function hangsSection(): string {
  const results = readHangs();
  return `## Hangs

A program hangs within a request, in one of ${hangKinds.length} ways: ${hangKinds.map(({ label }) => label).join(', ')}. It is killed after two reports, or after three
where a second function takes over. The last report is **right** when its function, cause, parent and request are those of
the program, its times fit into the hang, its answer is of the second half of it, and it names a child process where the
program waits for one. In a native call that does not end, it has no function. It is **absent** where nothing is wrong,
but the report does not say the cause or the function: so it is on a busy machine, where the thread has hardly run. The command is
\`pnpm --filter @loopwatch/instrumentation-event-loop hangs\`.

${results.length === 0 ? 'Not run.' : hangsTable(results)}`;
}

function hangsTable(results: ReturnType<typeof readHangs>): string {
  const rows = results.map(({ combination, date, machine, hangs, notRight }) => {
    const wrong = notRight.filter((hang) => hang.wrong.length > 0);
    return [
      describeCombination(combination),
      `${date}, ${machine}`,
      ...[hangs, hangs - notRight.length, notRight.length - wrong.length, wrong.length].map(String),
      notRight.map((hang) => `\`${hang.way}\`: ${[...hang.wrong, ...hang.absent].join(', ')}`).join('; '),
    ];
  });
  return table(['', 'machine', 'hangs', 'right', 'absent', 'wrong', 'what'], rows);
}
