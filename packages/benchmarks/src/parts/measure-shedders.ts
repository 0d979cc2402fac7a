import { median } from '@loopwatch/test-support';

import { Subject } from '../subject/subject.ts';
import type { Platform } from '../subject/subject.ts';

export interface ShedderSettings {
  readonly batches: number;
}

/** What one question "is the loop overloaded?" costs. */
export interface ShedderSummary {
  readonly name: string;
  readonly nanoseconds: number;
}

/** All shedders in one process, in batches of random order. */
export async function measureShedders(platform: Platform, { batches }: ShedderSettings): Promise<ShedderSummary[]> {
  const subject = new Subject(platform, { program: 'shedders.cjs', args: [String(batches)], timeoutMs: 120_000 });
  try {
    const { nanoseconds } = await subject.nextMessage<{ nanoseconds: Readonly<Record<string, readonly number[]>> }>();
    return Object.entries(nanoseconds).map(([name, each]) => ({ name, nanoseconds: median([...each]) }));
  } finally {
    await subject.stop();
  }
}
