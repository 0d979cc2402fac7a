import { setTimeout as sleep } from 'node:timers/promises';

import type { Peer } from '../../catalogue.ts';
import { Subject } from '../../subject/subject.ts';
import type { Platform } from '../../subject/subject.ts';
import { judge } from './judge.ts';
import type { QualitySummary } from './judge.ts';
import type { Report, TrueBlock } from './records.ts';
import { Sink } from './sink.ts';

export interface QualitySettings {
  /** Names of blocks of `subjects/blocks.cjs`; an empty list means all. */
  readonly blocks: readonly string[];
  /** Time until the hanging process is killed; 0 means no hang. */
  readonly hangMs: number;
}

/** Each hang uses one core for up to `hangMs`. Two at a time save time and leave each a core on a two-core machine. */
const HANGS_AT_ONCE = 2;

/** Runs the blocks of `subjects/blocks.cjs` with each peer, one peer after the other, and then a hang with each. */
export async function measureQuality(
  platform: Platform,
  peers: readonly Peer[],
  { blocks: chosenBlocks, hangMs }: QualitySettings,
  onProgress: (text: string) => void,
): Promise<Record<string, QualitySummary>> {
  const summaries: Record<string, QualitySummary> = {};
  const judgedPeers = peers.filter(({ isJudged }) => isJudged);
  for (const { name } of judgedPeers) {
    onProgress(`blocks with ${name}`);
    const { blocks, reports } = await runBlocks(platform, name, chosenBlocks);
    summaries[name] = judge(blocks, reports);
  }
  if (hangMs === 0) return summaries;
  for (let next = 0; next < judgedPeers.length; next += HANGS_AT_ONCE) {
    const together = judgedPeers.slice(next, next + HANGS_AT_ONCE);
    onProgress(`hangs with ${together.map(({ name }) => name).join(' and ')}`);
    await Promise.all(
      together.map(async ({ name }) => {
        const hangKnownAfterMs = await runHang(platform, name, hangMs);
        if (hangKnownAfterMs !== undefined) summaries[name] = { ...summaries[name]!, hangKnownAfterMs };
      }),
    );
  }
  return summaries;
}

async function runBlocks(
  platform: Platform,
  peerName: string,
  chosenBlocks: readonly string[],
): Promise<{ readonly blocks: TrueBlock[]; readonly reports: Report[] }> {
  const sink = await Sink.open();
  const subject = new Subject(platform, {
    program: 'blocks.cjs',
    args: [peerName],
    env: {
      ...sink.environment,
      BENCH_WITH_SPANS: '1',
      ...(chosenBlocks.length > 0 && { BENCH_BLOCKS: chosenBlocks.join(',') }),
    },
    timeoutMs: 120_000,
  });
  try {
    const blocks: TrueBlock[] = [];
    const reports: Report[] = [];
    for (;;) {
      const message = await subject.nextMessage<TrueBlock | Report | { readonly type: 'end' }>();
      if (message.type === 'end') break;
      if (message.type === 'block') blocks.push(message);
      else reports.push(message);
    }
    return { blocks, reports: [...reports, ...sink.reports] };
  } finally {
    subject.kill();
    await subject.end();
    await sink.close();
  }
}

/** Time from the start of the hang to its first report outside the process; undefined when there was none. */
async function runHang(platform: Platform, peerName: string, hangMs: number): Promise<number | undefined> {
  const sink = await Sink.open();
  const subject = new Subject(platform, {
    program: 'hang.cjs',
    args: [peerName],
    env: sink.environment,
    timeoutMs: 60_000,
  });
  try {
    const { startEpochMs } = await subject.nextMessage<{ readonly startEpochMs: number }>();
    for (let waitedMs = 0; waitedMs < hangMs && sink.hangReportedAt === undefined; waitedMs += 100) await sleep(100);
    return sink.hangReportedAt === undefined ? undefined : sink.hangReportedAt - startEpochMs;
  } finally {
    subject.kill();
    await subject.end();
    await sink.close();
  }
}
