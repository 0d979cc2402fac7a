import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { combinationPerMajor, describeCombination } from '@loopwatch/test-support';

import { hangsSection } from '../hangs/section.ts';
import { victimsSection } from '../victims/section.ts';
import type { Expectation } from './expectation.ts';
import { readResults } from './results.ts';
import type { CorpusResult } from './results.ts';
import { isAbsent, isHit, isMarkedGuess, isResourceHit } from './run-corpus.ts';
import { table } from './table.ts';

const documentFile = path.resolve(import.meta.dirname, '../../../../docs/evidence/accuracy.md');

/** Writes docs/evidence/accuracy.md from the results that are kept. Returns its path. */
export function writeAccuracyDocument(corpus: readonly Expectation[]): string {
  writeFileSync(documentFile, accuracyDocument(corpus, readResults()));
  return path.relative(process.cwd(), documentFile);
}

/** docs/evidence/accuracy.md: the kept results of the corpus, the hangs and the victims, with the text of ./explanations.md. */
export function accuracyDocument(corpus: readonly Expectation[], results: readonly CorpusResult[]): string {
  const explanations = readFileSync(path.join(import.meta.dirname, 'explanations.md'), 'utf8').trim();
  return `# How accurate it is

<!-- Written by \`pnpm --filter @loopwatch/instrumentation-event-loop corpus --write\`: change that program, not this page. -->

What stands here was measured with the programs of this repository. Programs that we did not write are in
[In the field](field.md); the same judgement at twice the load and in CPU quotas, on recordings, is in
[accepted.txt](../../packages/instrumentation-event-loop/test/evidence/accepted.txt).

${machineList(results)}

${notRun(corpus, results)}

## Right span, parent, culprit and cause

The corpus has ${corpus.length} small programs. Each blocks once, in its own way. A program counts as **right** when all four are
right: a span over the block, the parent (the span that is active), the culprit (the function and its lines) and the
cause. It is **marked** where only the culprit is wrong and the block itself says that it is a guess
(\`event_loop.blocked.stack_quality\` is \`post_native\`, "≈" in the terminal), **absent** where nothing wrong is said, but
the cause is \`unknown\`, or the culprit or the parent is missing, and **wrong** otherwise. The type of the asynchronous
resource is counted separately. A program that needs a newer Node.js does not run on the older ones.

The truth is measured: the program's own clock says when it blocked, Node's observer how long it collected garbage, the
kernel what it waited for; V8's ticks, in a run of its own on Node 24, say how much was JavaScript and native code. A share between 40 and 60 %
leaves two causes, and either is then right: "two causes" counts those programs. Two programs run at a time. A program that missed something and waited for
a CPU for more than 60 ms runs again, at most twice: "again" counts those.

${hitTable(results)}

${missList(results)}

${explanations}

${hangsSection()}

${victimsSection()}

## Start and end

Blocks of 80 to 140 ms on an otherwise idle loop, alternately busy and asleep. The table shows the error of their start
and end on the thread's monotonic clock, in milliseconds. The SDK reads the wall clock of a span in whole milliseconds.

${timesTable(results)}

## The programs

Each of the [programs](../../packages/instrumentation-event-loop/test/corpus/programs) says in its header what it does. The
causes that the measurements left of each are in the
[results](../../packages/instrumentation-event-loop/test/corpus/results).
`;
}

function machineList(results: readonly CorpusResult[]): string {
  return results
    .map(({ combination, date, machine, areCollectionsMeasured = false }) => {
      const collections = areCollectionsMeasured ? '' : '; collections by a profile of Node 24, not in these runs';
      return `- ${describeCombination(combination)}: ${date}, ${machine}${collections}`;
    })
    .join('\n');
}

/** What a reader might take for measured. */
function notRun(corpus: readonly Expectation[], results: readonly CorpusResult[]): string {
  const gaps = combinationPerMajor.flatMap((combination) => {
    const result = results.find(({ combination: { nodeMajor } }) => nodeMajor === combination.nodeMajor);
    if (result === undefined) return [`${describeCombination(combination)}: all`];
    const missing = corpus
      .filter(({ minimumNodeMajor }) => combination.nodeMajor >= minimumNodeMajor)
      .filter(({ program }) => result.programs[program] === undefined)
      .map(({ program }) => `\`${program}\``);
    return missing.length === 0 ? [] : [`${describeCombination(combination)}: ${missing.join(', ')}`];
  });
  const corpusGaps = gaps.length === 0 ? '' : ` Of the corpus, without a result: ${gaps.join('; ')}.`;
  return `Not run: the second SDK line of Node 22 and 24; macOS and Windows.${corpusGaps}`;
}

function hitTable(results: readonly CorpusResult[]): string {
  const rows = results.map(({ combination, programs }) => {
    const all = Object.values(programs);
    const right = all.filter(isHit).length;
    const marked = all.filter(isMarkedGuess).length;
    const absent = all.filter(isAbsent).length;
    return [
      describeCombination(combination),
      ...[all.length, right, marked, absent, all.length - right - marked - absent].map(String),
      percent(right / all.length),
      percent((right + marked) / all.length),
      String(all.filter(({ causes }) => causes.length > 1).length),
      String(all.filter(({ runs }) => runs > 1).length),
      String(all.filter((one) => !isResourceHit(one)).length),
    ];
  });
  return table(
    [
      '',
      'programs',
      'right',
      'marked',
      'absent',
      'wrong',
      'share right',
      'right or marked',
      'two causes',
      'again',
      'wrong resource',
    ],
    rows,
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function missList(results: readonly CorpusResult[]): string {
  const rows = results.flatMap(({ combination, programs }) =>
    Object.entries(programs).flatMap(([program, { misses }]) =>
      misses.map(({ aspect, expected, got, isMarked }) => [
        describeCombination(combination),
        `\`${program}\``,
        aspect,
        `\`${expected}\``,
        `${isMarked ? '≈ ' : ''}\`${got}\``,
      ]),
    ),
  );
  return rows.length === 0
    ? 'These runs missed nothing.'
    : `Misses of these runs:\n\n${table(['', 'program', 'what', 'expected', 'got'], rows)}`;
}

function timesTable(results: readonly CorpusResult[]): string {
  return table(
    ['', 'blocks', 'start, median', 'start, p95', 'end, median', 'end, p95'],
    results
      .flatMap(({ times }) => times ?? [])
      .map(({ combination, blocks, startMedianMs, startP95Ms, endMedianMs, endP95Ms }) => [
        describeCombination(combination),
        String(blocks),
        ...[startMedianMs, startP95Ms, endMedianMs, endP95Ms].map((value) => value.toFixed(2)),
      ]),
  );
}
