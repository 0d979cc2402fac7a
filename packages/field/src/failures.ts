import { exceptionFor } from './exceptions.ts';
import type { BlockFinding, Findings } from './findings.ts';
import type { ProgramResult } from './run-suite.ts';

/** Share of the checked blocks whose culprit must be right, or marked as a guess, over all programs. */
const MIN_RIGHT_OR_MARKED = 0.95;
/** Share of them that must be right: to mark everything is no answer. On a busy host more culprits are guesses. */
const MIN_RIGHT = 0.8;

/** What the suite does not accept, one sentence each; empty when all is well. */
export function describeFailures(results: readonly ProgramResult[], { withShares = true } = {}): string[] {
  const failures = results.flatMap(({ name, findings }) =>
    findings.flatMap((run) => failuresOf(name, run).map((text) => `${titleOf(name, run)}: ${text}`)),
  );
  if (!withShares) return failures;
  const { right, marked, checked } = rightShare(results);
  const expect = (minShare: number, what: string, count: number): void => {
    if (count >= minShare * checked) return;
    failures.push(`Expected ${minShare * 100} % of the checked blocks to be ${what}, got ${count} of ${checked}.`);
  };
  expect(MIN_RIGHT_OR_MARKED, 'right, or marked as a guess', right + marked);
  expect(MIN_RIGHT, 'right', right);
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

/** Blocks whose culprit the profile confirms, and others whose culprit is marked as a guess, of those that it can check. */
export function rightShare(results: readonly ProgramResult[]): { right: number; marked: number; checked: number } {
  let right = 0;
  let marked = 0;
  let checked = 0;
  for (const { name, findings } of results) {
    for (const { mode, counts, blocks } of findings) {
      const unexplained = blocks.filter(
        ({ verdict, culprit, reason }) =>
          verdict === 'wrong' && exceptionFor(name, mode, `${culprit}: ${reason}`) === undefined,
      );
      right += counts.right;
      marked += unexplained.filter(isMarked).length;
      checked += counts.right + unexplained.length;
    }
  }
  return { right, marked, checked };
}

/** Whether the culprit was reported as a guess ("≈"). */
export function isMarked({ stackQuality, isObserver }: BlockFinding): boolean {
  return stackQuality === 'post_native' && !isObserver;
}

export function titleOf(name: string, { nodeMajor, mode }: Pick<Findings, 'nodeMajor' | 'mode'>): string {
  return `${name}, Node ${nodeMajor}, ${mode}`;
}
