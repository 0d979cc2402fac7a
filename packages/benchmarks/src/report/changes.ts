import { peers, servers } from '../catalogue.ts';
import type { BenchResult } from '../result.ts';

/** What got worse for us: ratios whose interval lies above that of the earlier run, and blocks no longer right. */
export function changesSince(previous: BenchResult, current: BenchResult): string[] {
  return peers
    .filter(({ name }) => name.startsWith('loopwatch'))
    .flatMap(({ name, label }) => [
      ...servers.flatMap((server) => {
        const before = previous.load?.[server.name]?.[name]?.cpuToBaseline;
        const now = current.load?.[server.name]?.[name]?.cpuToBaseline;
        if (!before || !now || (now.low ?? now.value) <= (before.high ?? before.value)) return [];
        return [`${label} on ${server.label}: CPU ${before.value.toFixed(2)} → ${now.value.toFixed(2)} of none`];
      }),
      ...(['seen', 'rightLine', 'rightSpan', 'rightCause'] as const).flatMap((aspect) => {
        const before = previous.quality?.[name]?.[aspect] ?? 0;
        const now = current.quality?.[name]?.[aspect];
        return now === undefined || now >= before ? [] : [`${label}: ${aspect} ${before} → ${now}`];
      }),
    ]);
}
