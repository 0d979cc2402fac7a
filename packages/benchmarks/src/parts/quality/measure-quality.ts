import { setTimeout as sleep } from 'node:timers/promises';

import type { Peer } from '../../catalogue.ts';
import { Subject } from '../../subject/subject.ts';
import type { Platform } from '../../subject/subject.ts';
import { judge } from './judge.ts';
import type { QualitySummary } from './judge.ts';
import type { Report, TrueBlock } from './records.ts';
import { Sink } from './sink.ts';

export interface QualitySettings {
  /** Names of the blocks of `subjects/blocks.cjs`; none: all. */
  readonly blocks: readonly string[];
  /** How long a hang lasts until it is killed; 0: no hang. */
  readonly hangMs: number;
}

/** A hang takes one core, and seconds until one can say that nobody has told of it. */
const HANGS_AT_ONCE = 2;

/** Runs the blocks of `subjects/blocks.cjs` under each peer, one after the other, and then a hang under each. */
export async function measureQuality(
  platform: Platform,
  peers: readonly Peer[],
  { blocks: chosenBlocks, hangMs }: QualitySettings,
  onProgress: (text: string) => void,
): Promise<Record<string, QualitySummary>> {
  const summaries: Record<string, QualitySummary> = {};
  const judgedPeers = peers.filter(({ isJudged }) => isJudged);
  for (const { name } of judgedPeers) {
    onProgress(`blocks under ${name}`);
    const { blocks, reports } = await runBlocks(platform, name, chosenBlocks);
    summaries[name] = judge(blocks, reports);
  }
  if (hangMs === 0) return summaries;
  for (let next = 0; next < judgedPeers.length; next += HANGS_AT_ONCE) {
    const together = judgedPeers.slice(next, next + HANGS_AT_ONCE);
    onProgress(`hangs under ${together.map(({ name }) => name).join(' and ')}`);
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

/** How long after its start somebody outside knew of the hang; undefined when nobody did before it was killed. */
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
