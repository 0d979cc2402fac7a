import { consumerOf, describeCombination, runProgram } from '@loopwatch/test-support';
import type { Combination, ProgramTree } from '@loopwatch/test-support';

import type { Expectation } from '../expectation.ts';
import { runPrograms, wasStarved } from '../run-programs.ts';
import type { Judgement } from '../run-programs.ts';
import { attachUntilEnd } from './attach-cli.ts';
import type { Attachment } from './attach-cli.ts';
import { judgeAttached } from './judge-attached.ts';
import { ENV_WAIT_MS, WAITS, waitingPrograms } from './waiting-programs.ts';

// Most of the time they wait for their block.
const concurrentPrograms = 3;
/** How long a program waits for its block, try by try. On a busy machine, the attach takes longer than the first. */
const waitsMs = [4000, 8000, 8000, 16_000, 16_000] as const;
/** From the attach to the first sample: the agent starts half a second after the inspector is closed. */
const settledMs = 300;

/**
 * Starts each program without Loopwatch, attaches while it runs, and judges what the attached Loopwatch reports of its
 * block.
 */
export async function runAttached(
  combination: Combination,
  corpus: readonly Expectation[],
  onJudgement: (judgement: Judgement) => void = () => undefined,
): Promise<Judgement[]> {
  const tree = await waitingPrograms(await consumerOf(combination.sdk));
  const runNext = (next: Expectation): Promise<Judgement> => runOne(combination, tree, next, waitsMs);
  return runPrograms(combination, corpus, concurrentPrograms, runNext, onJudgement);
}

async function runOne(
  combination: Combination,
  tree: ProgramTree,
  expectation: Expectation,
  [waitMs = 0, ...longerWaitsMs]: readonly number[],
): Promise<Judgement> {
  let attached: Promise<Attachment> | undefined;
  const result = await runProgram({
    combination,
    tree,
    program: expectation.run,
    // A port of its own for the inspector: other programs run at the same time.
    flags: [...expectation.flags, '--inspect-port=0'],
    telemetry: { instrumentation: false, http: expectation.http },
    env: { [ENV_WAIT_MS]: String(waitMs) },
    timeoutMs: 60_000,
    onStart: (child) => {
      child.stdout?.on('data', (text: string) => {
        if (text.includes(WAITS)) attached ??= attachUntilEnd(child.pid ?? 0);
      });
    },
  });
  const { watchedAtMs, blocks, stderr } = (await attached) ?? { watchedAtMs: undefined, blocks: [], stderr: '' };
  const wasWatched = watchedAtMs !== undefined;
  // SIGUSR1 that arrives while Node.js ends makes it abort (docs/attach.md): the attach came too late, as below.
  if (!wasWatched && result.signal === 'SIGABRT' && longerWaitsMs.length > 0) {
    return runOne(combination, tree, expectation, longerWaitsMs);
  }
  if (result.exitCode !== 0) {
    throw new Error(
      `Expected ${expectation.program} on ${describeCombination(combination)} to exit with 0 although Loopwatch was ` +
        `attached, got ${result.signal ?? String(result.exitCode)}.\n${result.stderr}\n${stderr}`,
    );
  }
  const firstBlockMs = Math.min(...result.truths.map(({ startEpochMs }) => startEpochMs));
  const wasEarly = !wasWatched || watchedAtMs + settledMs > firstBlockMs;
  const isStarved = wasStarved(result);
  const misses = judgeAttached(expectation, result, blocks, tree.directory);
  const isInvalid = wasEarly || (misses.length > 0 && isStarved);
  if (isInvalid && longerWaitsMs.length > 0) return runOne(combination, tree, expectation, longerWaitsMs);
  return { combination, expectation, misses };
}
