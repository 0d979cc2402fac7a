import type { ReportedBlock } from '../blocks.ts';
import { isForeign } from './frames.ts';
import { describeFrame, dominantFrame } from './judge-block.ts';
import type { Frame, Sample, Timeline } from './timeline.ts';

/** A stretch that the profile shows and that was not reported. */
export interface Miss {
  readonly pid: number;
  readonly threadId: number;
  readonly startMs: number;
  /** Time of it that samples show. */
  readonly durationMs: number;
  /** The function that had most of it. */
  readonly place: string;
}

export interface MissOptions {
  readonly thresholdMs: number;
  /** From then on, loading a module is work of the application and not start-up. Epoch, ms. */
  readonly readyAtMs?: number;
}

/** A stretch this much longer than the threshold must be reported: V8's samples are not exact to the millisecond. */
const MARGIN = 1.5;
/**
 * V8 samples a thread about every millisecond. After this time without a sample, either the thread waited for a CPU, or
 * V8's sampler did: then the thread may have done anything else.
 */
const MAX_SAMPLE_MS = 20;
/** Part of a stretch that reported blocks must cover. */
const MIN_REPORTED = 0.5;

/** Long stretches of uninterrupted JavaScript, in threads of which the profile is known, that no block covers. */
export function missesOf(
  blocks: readonly ReportedBlock[],
  timelines: readonly Timeline[],
  { thresholdMs, readyAtMs = Infinity }: MissOptions,
): Miss[] {
  return timelines.flatMap((timeline) => {
    const ofThread = blocks.filter(({ pid, threadId }) => pid === timeline.pid && threadId === timeline.threadId);
    return stretchesOf(timeline.samples)
      .filter((stretch) => knownMs(stretch) >= thresholdMs * MARGIN)
      .filter((stretch) => !isStartUp(stretch, timeline, readyAtMs))
      .filter((stretch) => reportedMs(stretch, ofThread) < MIN_REPORTED * durationOf(stretch))
      .map((stretch) => ({
        pid: timeline.pid,
        threadId: timeline.threadId,
        startMs: stretch[0]!.startMs,
        durationMs: knownMs(stretch),
        place: describeFrame(dominantFrame(stretch)),
      }));
  });
}

/**
 * Runs of samples with a stack that has the same outermost function. A sample without a stack ends a run: a loop that
 * iterates fast shows some, since Node.js is in native code between two callbacks.
 */
function stretchesOf(samples: readonly Sample[]): Sample[][] {
  const stretches: Sample[][] = [];
  let outermost: Frame | undefined;
  for (const sample of samples) {
    const [frame] = sample.stack;
    if (frame !== undefined && frame === outermost) stretches.at(-1)!.push(sample);
    else if (frame !== undefined) stretches.push([sample]);
    outermost = frame;
  }
  return stretches;
}

/**
 * Node.js evaluates the entry point, loads modules before the program is ready, or loads at any time the modules of the
 * SDK that `/register` starts, which is not the program's work. What these leave to `process.nextTick` and to promise jobs
 * has another outermost function, and runs before any event, too: before the loop starts, or in the same iteration.
 */
function isStartUp(stretch: readonly Sample[], timeline: Timeline, readyAtMs: number): boolean {
  if (stretch.at(-1)!.endMs <= (timeline.loopStartMs ?? -Infinity)) return true;
  return isMostlyLoading(stretch, readyAtMs) || isMostlyLoading(iterationAround(stretch, timeline), readyAtMs);
}

function isMostlyLoading(samples: readonly Sample[], readyAtMs: number): boolean {
  const isLoading = ({ stack, startMs }: Sample): boolean =>
    stack.some(({ url }) => url.startsWith('node:internal/main/')) ||
    (stack.some(({ url }) => url.startsWith('node:internal/modules/')) &&
      (startMs < readyAtMs || !stack.some(isForeign)));
  return durationsOf(samples.filter(isLoading)) >= durationsOf(samples) / 2;
}

/** The samples of the loop's iteration in which the stretch began; of a later one than those that are known, the stretch. */
function iterationAround(stretch: readonly Sample[], { iterationEndsMs = [], samples }: Timeline): readonly Sample[] {
  const { startMs } = stretch[0]!;
  const next = iterationEndsMs.findIndex((endMs) => endMs > startMs);
  if (next === -1) return stretch;
  const fromMs = iterationEndsMs[next - 1] ?? -Infinity;
  return samples.filter((sample) => sample.startMs >= fromMs && sample.endMs <= iterationEndsMs[next]!);
}

function reportedMs(stretch: readonly Sample[], blocks: readonly ReportedBlock[]): number {
  const fromMs = stretch[0]!.startMs;
  const toMs = stretch.at(-1)!.endMs;
  return blocks.reduce(
    (total, { startMs, durationMs }) =>
      total + Math.max(0, Math.min(toMs, startMs + durationMs) - Math.max(fromMs, startMs)),
    0,
  );
}

function durationOf(stretch: readonly Sample[]): number {
  return stretch.at(-1)!.endMs - stretch[0]!.startMs;
}

function knownMs(stretch: readonly Sample[]): number {
  return stretch.reduce((total, { startMs, endMs }) => total + Math.min(MAX_SAMPLE_MS, endMs - startMs), 0);
}

function durationsOf(samples: readonly Sample[]): number {
  return samples.reduce((total, { startMs, endMs }) => total + endMs - startMs, 0);
}
