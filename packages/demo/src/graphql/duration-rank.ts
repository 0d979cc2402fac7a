export interface RankedRun {
  readonly id: number;
  readonly durationMs: number;
}

/** Place of a run among its siblings when the fastest is 1; runs that took the same time stand in the order of ids. */
export function rankByDuration(run: RankedRun, siblings: readonly RankedRun[]): number {
  const sorted = [...siblings].sort((a, b) => a.durationMs - b.durationMs || a.id - b.id);
  return sorted.findIndex((candidate) => candidate.id === run.id) + 1;
}

/** The same for all siblings, sorted once. */
export function rankAllByDuration(siblings: readonly RankedRun[]): Map<number, number> {
  const sorted = [...siblings].sort((a, b) => a.durationMs - b.durationMs || a.id - b.id);
  return new Map(sorted.map((run, index) => [run.id, index + 1]));
}
