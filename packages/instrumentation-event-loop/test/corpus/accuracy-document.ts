import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describeCombination } from '@loopwatch/test-support';

import type { Times } from './measure-times.ts';
import { isHit, isMarkedGuess, isResourceHit } from './run-corpus.ts';
import type { Judgement } from './run-programs.ts';

/** docs/evidence/accuracy.md: the results of the corpus and of the time measurement, with the text of ./explanations.md. */
export function accuracyDocument(judgements: readonly Judgement[], times: readonly Times[]): string {
  const programCount = new Set(judgements.map(({ expectation }) => expectation.program)).size;
  const explanations = readFileSync(path.join(import.meta.dirname, 'explanations.md'), 'utf8').trim();
  return `# How accurate it is

<!-- Written by \`pnpm --filter @loopwatch/instrumentation-event-loop corpus --write\`: change that program, not this page. -->

Two programs at a time on ${os.availableParallelism()} cores (${os.type()} ${os.arch()}).

## Right span, parent, culprit and cause

The corpus has ${programCount} small programs. Each blocks once, in its own way, and states what has to be reported: a
span over the block, the parent (the span that is active), the culprit (the function and its lines) and the cause. A
program counts as right when all four are right. Where only the culprit is wrong and the block itself says that it is a
guess (\`event_loop.blocked.stack_quality\` is \`post_native\`, "≈" in the terminal), it is counted apart. The type of the asynchronous resource is counted separately. A program
that needs a newer Node.js does not run on the older ones.

A program that states several causes has those that its measurements leave: V8's ticks and profile in a run of its own say
how much was JavaScript, native code and collections, the kernel says what this run waited for. A share between 40 and
60 % leaves both. A miss names the shares where more than one cause was left.

${hitTable(judgements)}

${missList(judgements)}

${explanations}

## Start and end

Blocks of 80 to 140 ms on an otherwise idle loop, alternately busy and asleep. The table shows the error of their start
and end on the thread's monotonic clock, in milliseconds. The SDK reads the wall clock of a span in whole milliseconds.

${timesTable(times)}

## The programs

${programTable(judgements)}
`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function hitTable(judgements: readonly Judgement[]): string {
  const rows = [...byCombination(judgements)].map(([label, some]) => {
    const hits = some.filter(isHit).length;
    const withResource = some.filter(({ expectation }) => expectation.resources.length > 0);
    return [
      label,
      String(some.length),
      String(hits),
      String(some.filter(isMarkedGuess).length),
      `${((100 * hits) / some.length).toFixed(1)} %`,
      `${withResource.filter(isResourceHit).length} of ${withResource.length}`,
    ];
  });
  return table(['', 'programs', 'right', 'marked as a guess', 'share right', 'async resource right'], rows);
}

function missList(judgements: readonly Judgement[]): string {
  const rows = judgements.flatMap(({ combination, expectation, misses }) =>
    misses.map(({ aspect, expected, got, isMarked }) => [
      describeCombination(combination),
      `\`${expectation.program}\``,
      aspect,
      `\`${expected}\``,
      `${isMarked ? '≈ ' : ''}\`${got}\``,
    ]),
  );
  return rows.length === 0
    ? 'The run that wrote this page missed nothing.'
    : `Misses of the run that wrote this page:\n\n${table(['', 'program', 'what', 'expected', 'got'], rows)}`;
}

function timesTable(times: readonly Times[]): string {
  return table(
    ['', 'blocks', 'start, median', 'start, p95', 'end, median', 'end, p95'],
    times.map(({ combination, blocks, startMedianMs, startP95Ms, endMedianMs, endP95Ms }) => [
      describeCombination(combination),
      String(blocks),
      ...[startMedianMs, startP95Ms, endMedianMs, endP95Ms].map((value) => value.toFixed(2)),
    ]),
  );
}

function programTable(judgements: readonly Judgement[]): string {
  const programs = new Map(judgements.map(({ expectation }) => [expectation.program, expectation]));
  return table(
    ['program', 'what it does', 'cause'],
    [...programs.values()]
      .sort((left, right) => (left.program < right.program ? -1 : 1))
      .map(({ program, summary, causes }) => [`\`${program}\``, summary, causes.join(' or ')]),
  );
}

function byCombination(judgements: readonly Judgement[]): Map<string, Judgement[]> {
  const groups = new Map<string, Judgement[]>();
  for (const judgement of judgements) {
    const label = describeCombination(judgement.combination);
    groups.set(label, [...(groups.get(label) ?? []), judgement]);
  }
  return groups;
}
