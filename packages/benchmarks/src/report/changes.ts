import { peers, servers } from '../catalogue.ts';
import type { Ratio } from '../statistics/estimate.ts';
import type { BenchResult } from '../result.ts';

/**
 * What got worse for Loopwatch: ratios whose interval lies above the earlier one, and blocks no longer reported right.
 */
export function changesSince(previous: BenchResult, current: BenchResult): string[] {
  const paired = servers.flatMap(({ name, label }) => {
    const before = previous.paired?.[name]?.serving;
    const now = current.paired?.[name]?.serving;
    if (!before || !now || !isAbove(now, before)) return [];
    return [`on and off, ${label}: CPU on / off ${before.value.toFixed(3)} → ${now.value.toFixed(3)}`];
  });
  const comparedWithPeers = peers
    .filter(({ name }) => name.startsWith('loopwatch'))
    .flatMap(({ name, label }) => [
      ...servers.flatMap((server) => {
        const before = previous.load?.[server.name]?.[name]?.cpuToBaseline;
        const now = current.load?.[server.name]?.[name]?.cpuToBaseline;
        if (!before || !now || !isAbove(now, before)) return [];
        return [`${label}, ${server.label}: CPU relative to none ${before.value.toFixed(2)} → ${now.value.toFixed(2)}`];
      }),
      ...(['seen', 'rightLine', 'rightSpan', 'rightCause'] as const).flatMap((aspect) => {
        const before = previous.quality?.[name]?.[aspect] ?? 0;
        const now = current.quality?.[name]?.[aspect];
        return now === undefined || now >= before ? [] : [`${label}: ${aspect} ${before} → ${now}`];
      }),
    ]);
  return [...paired, ...comparedWithPeers];
}

function isAbove(now: Ratio, before: Ratio): boolean {
  return (now.low ?? now.value) > (before.high ?? before.value);
}
