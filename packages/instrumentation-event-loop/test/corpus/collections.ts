import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { runProgram } from '@loopwatch/test-support';
import type { RunOptions, RunResult, TruthRecord } from '@loopwatch/test-support';

const measurePreload = path.resolve(import.meta.dirname, '../evidence/measure.cjs');

/** How long a program collected garbage within a block of it, by Node's observer. */
export type CollectedMs = (truth: TruthRecord) => number;

interface Collection {
  readonly type: string;
  readonly threadId: number;
  readonly startNowMs: number;
  readonly endNowMs: number;
}

/** Runs a program once, and measures its collections from its start on. */
export async function runMeasured(options: RunOptions): Promise<RunResult & { readonly collectedMs: CollectedMs }> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-measured-'));
  const output = path.join(scratch, 'measured.jsonl');
  try {
    const result = await runProgram({
      ...options,
      flags: [...(options.flags ?? []), '--require', measurePreload],
      env: { ...options.env, LOOPWATCH_MEASURE_OUTPUT: output },
    });
    const collections = existsSync(output) ? collectionsOf(readFileSync(output, 'utf8')) : [];
    return { ...result, collectedMs: (truth) => collectedWithin(collections, truth) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function collectionsOf(text: string): Collection[] {
  const records = text.split('\n').filter(Boolean);
  return records.map((line) => JSON.parse(line) as Collection).filter(({ type }) => type === 'gc');
}

export function collectedWithin(
  collections: readonly Omit<Collection, 'type'>[],
  { threadId, startNowMs, endNowMs }: Pick<TruthRecord, 'threadId' | 'startNowMs' | 'endNowMs'>,
): number {
  return collections
    .filter((each) => each.threadId === threadId)
    .reduce(
      (sum, each) => sum + Math.max(0, Math.min(each.endNowMs, endNowMs) - Math.max(each.startNowMs, startNowMs)),
      0,
    );
}
