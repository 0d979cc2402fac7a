import type { Estimate } from '../statistics/estimate.ts';
import { shuffled } from '../statistics/random.ts';
import { estimateShift } from '../statistics/signed-rank.ts';
import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

export interface QuestionSettings {
  /** Windows with and without questions, in one process. */
  readonly pairs: number;
  readonly windowMs: number;
  /** How long a process is asked without a pause, until its budget is what bounds the questions, and windows after that. */
  readonly steadyAfterMs: number;
  readonly steadyWindows: number;
  /** Processes with and without questions, whose memory is compared. */
  readonly memoryPairs: number;
  readonly memoryMs: number;
}

/** What the questions for the time of the loop cost a saturated process, compared with the same without them. */
export interface QuestionSummary {
  /** µs of CPU for each question. */
  readonly answer: Estimate;
  readonly report: Estimate;
  readonly watchdog: Estimate;
  /** All of it at the default rate, in percent of a core. */
  readonly percent: Estimate;
  /** How often it is asked in a second when the budget bounds that, and all of it then, in percent of a core. */
  readonly steady?: { readonly perSecond: number; readonly percent: Estimate };
  readonly heapBytes: Estimate;
  readonly rssBytes: Estimate;
}

/** What `subjects/questions.cjs` prints of a window. */
export interface QuestionWindow {
  readonly lengthMs: number;
  readonly answers: number;
  readonly answersMs: number;
  readonly reportsMs: number;
  readonly watchdogMs: number;
}

export interface QuestionPair {
  readonly asked: QuestionWindow;
  readonly unasked: QuestionWindow;
}

export interface Memory {
  readonly heapBytes: number;
  readonly rssBytes: number;
}

export interface MemoryPair {
  readonly asked: Memory;
  readonly unasked: Memory;
}

const PROGRAM = 'questions.cjs';
const PER_SECOND = 5;
const START_MS = 60_000;

export async function measureQuestions(
  platform: Platform,
  settings: QuestionSettings,
  random: () => number,
  onProgress: (text: string) => void,
): Promise<QuestionSummary> {
  const { pairs, steady } = await compareWindows(platform, settings, onProgress);
  const memory: MemoryPair[] = [];
  for (let pair = 1; pair <= settings.memoryPairs; pair++) {
    onProgress(`questions, memory: pair ${pair} of ${settings.memoryPairs}`);
    const measured = new Map<number, Memory>();
    for (const perSecond of shuffled([0, PER_SECOND], random))
      measured.set(perSecond, await measureMemory(platform, perSecond, settings.memoryMs));
    memory.push({ asked: measured.get(PER_SECOND)!, unasked: measured.get(0)! });
  }
  return summarizeQuestions(pairs, steady, memory);
}

async function compareWindows(
  platform: Platform,
  { pairs, windowMs, steadyAfterMs, steadyWindows }: QuestionSettings,
  onProgress: (text: string) => void,
): Promise<{ readonly pairs: readonly QuestionPair[]; readonly steady: readonly QuestionWindow[] }> {
  const args = [pairs, windowMs, steadyAfterMs, steadyWindows].map(String);
  const timeoutMs = START_MS + (pairs * 2 + steadyWindows) * windowMs * 3 + steadyAfterMs * 2;
  const subject = new Subject(platform, { program: PROGRAM, args, timeoutMs });
  try {
    const measured: QuestionPair[] = [];
    while (measured.length < pairs) {
      onProgress(`questions: pair ${measured.length + 1} of ${pairs}`);
      measured.push(await subject.nextMessage<QuestionPair>());
    }
    const steady: QuestionWindow[] = [];
    while (steady.length < steadyWindows) {
      onProgress(`questions, within their budget: window ${steady.length + 1} of ${steadyWindows}`);
      steady.push(await subject.nextMessage<QuestionWindow>());
    }
    return { pairs: measured, steady };
  } finally {
    await subject.stop();
  }
}

async function measureMemory(platform: Platform, perSecond: number, ms: number): Promise<Memory> {
  const subject = new Subject(platform, {
    program: PROGRAM,
    args: ['memory', String(perSecond), String(ms)],
    flags: ['--expose-gc'],
    timeoutMs: START_MS + ms * 3,
  });
  try {
    return await subject.nextMessage<Memory>();
  } finally {
    await subject.stop();
  }
}

export function summarizeQuestions(
  pairs: readonly QuestionPair[],
  steady: readonly QuestionWindow[],
  memory: readonly MemoryPair[],
): QuestionSummary {
  const answered = pairs.filter(({ asked }) => asked.answers > 0);
  if (answered.length === 0) throw new Error('Expected windows with answers, got none.');
  const perQuestion = (msOf: (window: QuestionWindow) => number): Estimate =>
    estimateShift(
      answered.map(({ asked, unasked }) => {
        const addedMs = msOf(asked) - msOf(unasked) * (asked.lengthMs / unasked.lengthMs);
        return (addedMs * 1000) / asked.answers;
      }),
    );
  const all = perQuestion(allMs);
  const addedBytes = (of: (memory: Memory) => number): Estimate =>
    estimateShift(memory.map(({ asked, unasked }) => of(asked) - of(unasked)));
  return {
    answer: perQuestion(({ answersMs }) => answersMs),
    report: perQuestion(({ reportsMs }) => reportsMs),
    watchdog: perQuestion(({ watchdogMs }) => watchdogMs),
    percent: scaled(all, (PER_SECOND / 1e6) * 100),
    ...(steady.length === 0 ? {} : { steady: summarizeSteady(pairs, steady) }),
    heapBytes: addedBytes(({ heapBytes }) => heapBytes),
    rssBytes: addedBytes(({ rssBytes }) => rssBytes),
  };
}

/** Without what the windows without questions took, which are those of the same process. */
function summarizeSteady(
  pairs: readonly QuestionPair[],
  steady: readonly QuestionWindow[],
): NonNullable<QuestionSummary['steady']> {
  const sum = (windows: readonly QuestionWindow[], of: (window: QuestionWindow) => number): number =>
    windows.reduce((total, window) => total + of(window), 0);
  const unasked = pairs.map((pair) => pair.unasked);
  const unaskedShare = sum(unasked, allMs) / sum(unasked, ({ lengthMs }) => lengthMs);
  return {
    perSecond: (1000 * sum(steady, ({ answers }) => answers)) / sum(steady, ({ lengthMs }) => lengthMs),
    percent: estimateShift(steady.map((window) => 100 * (allMs(window) / window.lengthMs - unaskedShare))),
  };
}

function allMs({ answersMs, reportsMs, watchdogMs }: QuestionWindow): number {
  return answersMs + reportsMs + watchdogMs;
}

function scaled({ value, low, high }: Estimate, factor: number): Estimate {
  return low === undefined || high === undefined
    ? { value: value * factor }
    : { value: value * factor, low: low * factor, high: high * factor };
}
