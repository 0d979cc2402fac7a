export interface RankedRun {
  readonly id: number;
  readonly durationMs: number;
}

/** Rank of a run among its siblings. The fastest has rank 1; equal durations are ranked by id. Sorts on each call. */
export function rankByDuration(run: RankedRun, siblings: readonly RankedRun[]): number {
  const sorted = [...siblings].sort((a, b) => a.durationMs - b.durationMs || a.id - b.id);
  return sorted.findIndex((candidate) => candidate.id === run.id) + 1;
}

/** The fixed variant: ranks all siblings with one sort. */
export function rankAllByDuration(siblings: readonly RankedRun[]): Map<number, number> {
  const sorted = [...siblings].sort((a, b) => a.durationMs - b.durationMs || a.id - b.id);
  return new Map(sorted.map((run, index) => [run.id, index + 1]));
}
