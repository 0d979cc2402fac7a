import { peers, servers } from '../catalogue.ts';
import type { Ratio } from '../statistics/estimate.ts';
import type { BenchResult } from '../result.ts';

/** What got worse for us: ratios whose interval lies above that of the earlier run, and blocks no longer right. */
export function changesSince(previous: BenchResult, current: BenchResult): string[] {
  const paired = servers.flatMap(({ name, label }) => {
    const before = previous.paired?.[name]?.serving;
    const now = current.paired?.[name]?.serving;
    if (!before || !now || !isAbove(now, before)) return [];
    return [`on and off on ${label}: CPU ${before.value.toFixed(3)} → ${now.value.toFixed(3)}`];
  });
  const beside = peers
    .filter(({ name }) => name.startsWith('loopwatch'))
    .flatMap(({ name, label }) => [
      ...servers.flatMap((server) => {
        const before = previous.load?.[server.name]?.[name]?.cpuToBaseline;
        const now = current.load?.[server.name]?.[name]?.cpuToBaseline;
        if (!before || !now || !isAbove(now, before)) return [];
        return [`${label} on ${server.label}: CPU ${before.value.toFixed(2)} → ${now.value.toFixed(2)} of none`];
      }),
      ...(['seen', 'rightLine', 'rightSpan', 'rightCause'] as const).flatMap((aspect) => {
        const before = previous.quality?.[name]?.[aspect] ?? 0;
        const now = current.quality?.[name]?.[aspect];
        return now === undefined || now >= before ? [] : [`${label}: ${aspect} ${before} → ${now}`];
      }),
    ]);
  return [...paired, ...beside];
}

function isAbove(now: Ratio, before: Ratio): boolean {
  return (now.low ?? now.value) > (before.high ?? before.value);
}
