import type { JSX } from 'preact';

import { formatInstance, formatMs, formatShare } from '../../model/format.js';
import type { BlockRow } from '../../model/page.js';
import { threadKey } from '../../model/thread-key.js';
import { durationWithin, type TimeRange } from '../../model/time-range.js';
import type { Instance, ThreadInfo } from '../../model/types.js';

interface ThreadsCardProps {
  threads: readonly ThreadInfo[];
  blocks: readonly BlockRow[];
  instances: ReadonlyMap<string, Instance>;
  range: TimeRange | undefined;
}

interface Row extends ThreadInfo {
  readonly blockedMs: number;
}

/** Table of the threads by name. Absent if there is only one and no thread metrics. */
export function ThreadsCard({ threads, blocks, instances, range }: ThreadsCardProps): JSX.Element | null {
  const rows = rowsOf(threads, blocks, range);
  if (rows.length < 2 && threads.length === 0) return null;
  return (
    <section class="card" aria-labelledby="threads">
      <h2 id="threads">Threads</h2>
      <div class="scroll" tabIndex={0} role="group" aria-labelledby="threads">
        <table class="threads">
          <thead>
            <tr>
              <th scope="col">Thread</th>
              <th scope="col">Process</th>
              <th scope="col" class="number">
                Live threads
              </th>
              <th scope="col" class="number">
                Busy
              </th>
              <th scope="col" class="number">
                Longest idle
              </th>
              <th scope="col" class="number">
                Blocked
              </th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={threadKey(row)}>
                <th scope="row">{row.threadName}</th>
                <td>{processOf(row, instances)}</td>
                <td class="number">{row.count === undefined || row.threadName === 'main' ? '–' : row.count}</td>
                <td class="number">{row.utilization === undefined ? '–' : formatShare(row.utilization)}</td>
                <td class="number">{row.idleAgeMs === undefined ? '–' : formatMs(row.idleAgeMs)}</td>
                <td class="number">{formatMs(row.blockedMs)}</td>
                <td>
                  {row.stalledMs ? <span class="ongoing">blocked for {formatMs(row.stalledMs)}</span> : 'running'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function rowsOf(threads: readonly ThreadInfo[], blocks: readonly BlockRow[], range: TimeRange | undefined): Row[] {
  const rows = new Map<string, Row>();
  for (const thread of threads) rows.set(threadKey(thread), { ...thread, blockedMs: 0 });
  for (const block of blocks) {
    const { instance, threadName } = block;
    const row = rows.get(threadKey(block)) ?? { instance, threadName, blockedMs: 0 };
    rows.set(threadKey(block), { ...row, blockedMs: row.blockedMs + durationWithin(block, range) });
  }
  return [...rows.values()].sort((a, b) => b.blockedMs - a.blockedMs);
}

function processOf(row: Row, instances: ReadonlyMap<string, Instance>): string {
  const instance = instances.get(row.instance);
  return instance ? formatInstance(instance) : '';
}
