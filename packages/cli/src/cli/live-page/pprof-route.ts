import type { ServerResponse } from 'node:http';

import { type BlockFilter, filterBlocks } from '../../model/blocks/filter.js';
import { pprofOf } from '../files/pprof.js';
import { answer } from '../http/answer.js';
import { instancesOf, type Store } from '../store/store.js';

export const PPROF_PATH = '/debug/pprof/blocked';

interface ProfileRequest {
  readonly filter: BlockFilter;
  /** Only the blocks of the last seconds: collectors of profiles ask for it. It is answered at once. */
  readonly seconds: number | undefined;
  readonly version: string;
  /** Epoch, ms. */
  readonly startedMs: number;
}

/** Answers with a profile of the blocked time that is in the store. */
export async function answerProfile(response: ServerResponse, store: Store, request: ProfileRequest): Promise<void> {
  const { filter, seconds, version, startedMs } = request;
  const nowMs = Date.now();
  const fromMs = seconds === undefined ? startedMs : nowMs - seconds * 1000;
  const chosen = seconds === undefined ? filter : { ...filter, fromMs };
  const profile = await pprofOf({
    blocks: filterBlocks(store.blocks.values(), chosen, store.instances),
    processes: instancesOf(store),
    command: ['loopwatch', 'serve'],
    startedMs: fromMs,
    durationMs: nowMs - fromMs,
    loopwatchVersion: version,
  });
  answer(response, 200, 'application/octet-stream', profile, {
    'content-disposition': 'attachment; filename="blocked.pb.gz"',
    'cache-control': 'no-store',
  });
}
