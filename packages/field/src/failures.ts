import { exceptionFor } from './exceptions.ts';
import type { Findings } from './findings.ts';
import type { ProgramResult } from './run-suite.ts';

/** Share of the checked blocks that must be right, over all programs. */
const MIN_RIGHT = 0.95;

/** What the suite does not accept, one sentence each; empty when all is well. */
export function describeFailures(results: readonly ProgramResult[], { minRight = MIN_RIGHT } = {}): string[] {
  const failures = results.flatMap(({ name, findings }) =>
    findings.flatMap((run) => failuresOf(name, run).map((text) => `${titleOf(name, run)}: ${text}`)),
  );
  const { right, checked } = rightShare(results);
  if (checked > 0 && right / checked < minRight) {
    failures.push(`Expected ${minRight * 100} % of the checked blocks to be right, got ${right} of ${checked}.`);
  }
  return failures;
}

/** What no share makes good: another outcome, an observer as the culprit, a block where the thread was idle. */
function failuresOf(program: string, { mode, differences, blocks }: Findings): string[] {
  const texts = [
    ...differences,
    ...blocks.filter(({ isObserver }) => isObserver).map(({ culprit }) => `an observer is the culprit: ${culprit}`),
    ...blocks.filter(({ reason }) => reason === 'the thread was idle').map(() => 'an idle thread has a block'),
  ];
  return texts.filter((text) => exceptionFor(program, mode, text) === undefined);
}

/** Blocks whose culprit the profile confirms, of those that it can check. */
export function rightShare(results: readonly ProgramResult[]): { right: number; checked: number } {
  let right = 0;
  let checked = 0;
  for (const { name, findings } of results) {
    for (const { mode, counts, blocks } of findings) {
      const unexplained = blocks.filter(
        ({ verdict, culprit, reason }) =>
          verdict === 'wrong' && exceptionFor(name, mode, `${culprit}: ${reason}`) === undefined,
      );
      right += counts.right;
      checked += counts.right + unexplained.length;
    }
  }
  return { right, checked };
}

export function titleOf(name: string, { nodeMajor, mode }: Pick<Findings, 'nodeMajor' | 'mode'>): string {
  return `${name}, Node ${nodeMajor}, ${mode}`;
}
