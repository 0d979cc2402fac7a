import type { ReportedBlock } from '../../src/blocks.ts';
import type { Activity, Frame, Sample, Timeline } from '../../src/profile/timeline.ts';

export function frame(functionName: string, url = '/app/server.cjs', lineNumber = 10): Frame {
  return { functionName, url, lineNumber, columnNumber: 1 };
}

export const dispatch = frame('processTimers', 'node:internal/timers', 1);

/** Samples of 10 ms each, one after the other from `startMs` on. */
export function samples(startMs: number, ...groups: (readonly [number, Activity, ...Frame[]])[]): Sample[] {
  const all = groups.flatMap(([count, activity, ...stack]) =>
    Array.from({ length: count }, () => ({ activity, stack })),
  );
  return all.map((sample, index) => ({ ...sample, startMs: startMs + index * 10, endMs: startMs + index * 10 + 10 }));
}

export function timeline(ofSamples: readonly Sample[], changes: Partial<Timeline> = {}): Timeline {
  return {
    pid: 1,
    threadId: 0,
    startMs: ofSamples[0]?.startMs ?? 0,
    endMs: ofSamples.at(-1)?.endMs ?? 0,
    samples: ofSamples,
    ...changes,
  };
}

export function block(changes: Partial<ReportedBlock> = {}): ReportedBlock {
  return {
    pid: 1,
    threadId: 0,
    startMs: 1000,
    durationMs: 200,
    cause: 'javascript',
    stackQuality: 'live',
    ended: true,
    culprit: { functionName: 'search', filePath: '/app/server.cjs', lineNumber: 12, columnNumber: 3 },
    ...changes,
  };
}
