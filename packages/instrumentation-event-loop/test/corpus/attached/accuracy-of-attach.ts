import { describeCombination } from '@loopwatch/test-support';

import { table } from '../table.ts';
import type { AttachedResult } from './results.ts';

/** docs/evidence/attach-accuracy.md */
export function accuracyOfAttach(results: readonly AttachedResult[]): string {
  return `# How accurate \`loopwatch attach\` is

<!-- Written by \`pnpm --filter @loopwatch/instrumentation-event-loop corpus:attach --write\`: change that program, not this page. -->

The programs are those of [How accurate it is](accuracy.md), where \`EventLoopInstrumentation\` runs from the start. Here
they start without Loopwatch, with an OpenTelemetry SDK of their own. Each starts a timer and blocks when it is due.
\`loopwatch attach <pid>\` starts when that timer runs. A program counts as right when the attached Loopwatch reports one
block over the time of the block, with the right function, file and line, the right cause, and the right request: the
span that is active in the block, and its name.

The timers are 4 s long instead of 0.3 s. A program runs again with a longer timer when its block came before
\`loopwatch\` had attached, or when a miss came with a wait of more than 60 ms for a CPU. Three programs run at a time.

${table(
  ['', 'programs', 'right', 'share', 'request right'],
  results.map(({ combination, missesOf }) => {
    const all = Object.values(missesOf);
    const right = all.filter((misses) => misses.length === 0).length;
    return [
      describeCombination(combination),
      String(all.length),
      String(right),
      `${((100 * right) / all.length).toFixed(1)} %`,
      String(all.filter((misses) => misses.every(({ aspect }) => aspect !== 'span' && aspect !== 'request')).length),
    ];
  }),
)}

${missList(results)}
`;
}

function missList(results: readonly AttachedResult[]): string {
  const rows = results.flatMap(({ combination, missesOf }) =>
    Object.entries(missesOf).flatMap(([program, misses]) =>
      misses.map(({ aspect, expected, got }) => [
        describeCombination(combination),
        `\`${program}\``,
        aspect,
        `\`${expected}\``,
        `\`${got}\``,
      ]),
    ),
  );
  return rows.length === 0
    ? 'The runs that wrote this page missed nothing.'
    : `Misses of the runs that wrote this page:\n\n${table(['', 'program', 'what', 'expected', 'got'], rows)}`;
}
