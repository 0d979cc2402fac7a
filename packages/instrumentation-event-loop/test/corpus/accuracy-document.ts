import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describeCombination } from '@loopwatch/test-support';

import type { Times } from './measure-times.ts';
import { isHit, isResourceHit } from './run-corpus.ts';
import type { Judgement } from './run-corpus.ts';

/** docs/accuracy.md: what the corpus and the clocks say, with ./explanations.md for what a machine cannot say. */
export function accuracyDocument(pendingBlocks: readonly Judgement[], times: readonly Times[]): string {
  const explanations = readFileSync(path.join(import.meta.dirname, 'explanations.md'), 'utf8').trim();
  return `# How accurate it is

<!-- Written by \`pnpm --filter @loopwatch/instrumentation-event-loop corpus --write\`: change that, not this. -->

Two programs at a time on ${os.availableParallelism()} cores (${os.type()} ${os.arch()}).

## Right span, parent, culprit and cause

The corpus is ${new Set(pendingBlocks.map(({ expectation }) => expectation.program)).size} small programs, each of which
blocks once in its own way and says itself what is right: the function and its lines, the cause, the span that is
active. A program counts as right when all four are. The type of the asynchronous resource is counted apart. A program
that needs a newer Node is left out on the older ones.

${hitTable(pendingBlocks)}

${missList(pendingBlocks)}

${explanations}

## Start and end

Blocks of 80 to 140 ms on an otherwise idle loop, busy and asleep in turn; how far start and end of each were off on
the thread's own clock, in milliseconds. The wall clock of a span is the SDK's, which reads whole milliseconds.

${timesTable(times)}

## The programs

${programTable(pendingBlocks)}
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function hitTable(pendingBlocks: readonly Judgement[]): string {
  const rows = [...byCombination(pendingBlocks)].map(([label, some]) => {
    const hits = some.filter(isHit).length;
    const withResource = some.filter(({ expectation }) => expectation.resources.length > 0);
    return [
      label,
      String(some.length),
      String(hits),
      `${((100 * hits) / some.length).toFixed(1)} %`,
      `${withResource.filter(isResourceHit).length} of ${withResource.length}`,
    ];
  });
  return table(['', 'programs', 'right', 'share', 'async resource right'], rows);
}

function missList(pendingBlocks: readonly Judgement[]): string {
  const rows = pendingBlocks.flatMap(({ combination, expectation, misses }) =>
    misses.map(({ aspect, expected, got }) => [
      describeCombination(combination),
      `\`${expectation.program}\``,
      aspect,
      `\`${expected}\``,
      `\`${got}\``,
    ]),
  );
  return rows.length === 0
    ? 'Nothing was missed in the run that wrote this.'
    : `Missed in the run that wrote this:\n\n${table(['', 'program', 'what', 'expected', 'got'], rows)}`;
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

function programTable(pendingBlocks: readonly Judgement[]): string {
  const programs = new Map(pendingBlocks.map(({ expectation }) => [expectation.program, expectation]));
  return table(
    ['program', 'what it does', 'cause'],
    [...programs.values()]
      .sort((left, right) => (left.program < right.program ? -1 : 1))
      .map(({ program, summary, causes }) => [`\`${program}\``, summary, causes.join(' or ')]),
  );
}

function byCombination(pendingBlocks: readonly Judgement[]): Map<string, Judgement[]> {
  const groups = new Map<string, Judgement[]>();
  for (const verdict of pendingBlocks) {
    const label = describeCombination(verdict.combination);
    groups.set(label, [...(groups.get(label) ?? []), verdict]);
  }
  return groups;
}
