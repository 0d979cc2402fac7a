import { median } from '@loopwatch/test-support';

import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

export interface ProbeSettings {
  readonly batches: number;
}

/** CPU of the whole process for the answer to one probe. */
export interface ProbeSummary {
  readonly path: string;
  readonly cpuMicroseconds: number;
}

/** Probes that the watchdog answers and one that the event loop answers, in one process, in batches of random order. */
export async function measureProbes(platform: Platform, { batches }: ProbeSettings): Promise<ProbeSummary[]> {
  const subject = new Subject(platform, { program: 'probes.cjs', args: [String(batches)], timeoutMs: 180_000 });
  try {
    const { microseconds } = await subject.nextMessage<{ microseconds: Readonly<Record<string, readonly number[]>> }>();
    return Object.entries(microseconds).map(([path, each]) => ({ path, cpuMicroseconds: median([...each]) }));
  } finally {
    await subject.stop();
  }
}
