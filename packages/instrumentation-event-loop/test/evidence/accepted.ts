import path from 'node:path';

import { bareName } from '../corpus/judge.ts';
import { aspects, outcomes } from './grade.ts';
import type { Aspect, Grade, Outcome } from './grade.ts';
import type { PlainVerdict, Recorded } from './recorder/recorded.ts';
import { grouped } from './grouped.ts';

/** The last accepted state: one line for each verdict. */
export const acceptedFile = path.join(import.meta.dirname, 'accepted.txt');

const HEAD = `# What the judgement says of each recorded block, and whether it is right: see README.md. Written by
# \`npm run evidence -- accept\`: read the difference before you commit it.
`;

/** The text of the accepted state: the counts, then the verdicts. */
export function acceptedText(grades: readonly Grade[]): string {
  return `${HEAD}${summary(grades)}\n${verdictLines(grades).join('\n')}\n`;
}

const groupings: readonly (readonly [string, (grade: Grade) => string | undefined])[] = [
  ['', () => 'all'],
  ['load', ({ run }) => `${run.load}${run.isCalm || run.load !== 'alone' ? '' : ', machine busy'}`],
  ['major', ({ run }) => `Node ${run.nodeMajor}`],
  ['subjects', ({ run }) => run.subject.split('/', 1)[0]],
  ['cause said', ({ verdict }) => verdict?.cause ?? 'no block'],
];

/** How many are right, marked as a guess, absent and wrong: in all, by load, by major, by kind. */
export function summary(grades: readonly Grade[]): string {
  const rows = groupings.flatMap(([title, keyOf]) => {
    const groups = grouped(grades, (grade) => keyOf(grade) ?? '');
    return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, some]) => row(title, key, some));
  });
  const byAspect = aspects.map((aspect) => aspectRow(aspect, grades));
  const lines = [heading('of'), ...rows, heading('aspect'), ...byAspect, doubted(grades)];
  return `${lines.map((line) => `# ${line}`).join('\n')}\n`;
}

/** A mark on all culprits would make none of them wrong: how many of the right ones have one. */
function doubted(grades: readonly Grade[]): string {
  const right = grades.filter(({ aspects: of }) => of.culprit === 'right');
  const marked = right.filter(({ verdict }) => verdict?.quality === 'post_native');
  return `Of ${right.length} right culprits, ${marked.length} are marked as a guess.`;
}

const shown: readonly Outcome[] = ['right', 'marked', 'absent', 'wrong', 'undecided'];

function heading(title: string): string {
  return `${title.padEnd(28)}${[...shown, 'right of decided'].map((name) => name.padStart(12)).join('')}`;
}

function row(title: string, key: string, grades: readonly Grade[]): string {
  return cells(
    title === '' ? key : `${title}: ${key}`,
    (outcome) => grades.filter((each) => each.outcome === outcome).length,
  );
}

function aspectRow(aspect: Aspect, grades: readonly Grade[]): string {
  return cells(aspect, (outcome) => grades.filter((each) => each.aspects[aspect] === outcome).length);
}

function cells(label: string, count: (outcome: Outcome) => number): string {
  const decided = outcomes.filter((outcome) => outcome !== 'undecided').reduce((sum, each) => sum + count(each), 0);
  const share = decided === 0 ? '' : `${((100 * count('right')) / decided).toFixed(1)} %`;
  return `${label.padEnd(28)}${[...shown.map((outcome) => String(count(outcome))), share].map((each) => each.padStart(12)).join('')}`;
}

/** One line for each block, in the order of the recordings. Lengths are whole ms. */
export function verdictLines(grades: readonly Grade[]): string[] {
  const numbers = new Map<string, number>();
  return grades.map((grade) => {
    const { run, truth, outcome, aspects: of, expected } = grade;
    const key = `${run.subject} ${run.nodeMajor} ${run.load}${run.pass} ${truth?.id ?? '-'}`;
    const number = (numbers.get(key) ?? 0) + 1;
    numbers.set(key, number);
    const wrong = aspects.filter((aspect) => of[aspect] !== undefined && !['right', 'undecided'].includes(of[aspect]));
    const reason = wrong.length === 0 ? '' : ` ${wrong.join('+')}, expected ${expected.join('; ')}`;
    return `${key}${number === 1 ? '' : `#${number}`}: ${described(grade)} | ${outcome}${reason}`;
  });
}

function described({ verdict, period }: Grade): string {
  return verdict === undefined || period === undefined ? 'no block' : verdictKey(verdict, period);
}

/** A verdict in words: two that differ have different ones. */
export function verdictKey(verdict: PlainVerdict, { contexts }: Recorded): string {
  const { durationMs, cause, quality, culprit, mainContext } = verdict;
  const context = mainContext === undefined ? undefined : contexts[mainContext];
  const name = culprit === undefined ? 'no culprit' : bareName(culprit.functionName) || '<anonymous>';
  const place = culprit === undefined ? '' : `:${culprit.lineNumber}`;
  return `${durationMs.toFixed(0)} ms ${cause} ${quality} ${name}${place} in ${context?.name ?? 'none'}`;
}
