import { z } from 'zod';

/** What a run is compared with. */
export interface FilteredRun {
  readonly status: string;
  readonly task: string;
  readonly durationMs: number;
}

export type Filter = (run: FilteredRun) => boolean;

const termSchema = z.string().regex(/^(?:status|task):[\w|-]{1,200}$|^duration[<>]\d{1,9}$/);

/** Parses filters such as `status:failed|completed duration>250`: a run must match all of them. */
export function parseFilters(text: string): Filter[] {
  return text.split(' ').map((term) => filterOf(termSchema.parse(term)));
}

function filterOf(term: string): Filter {
  const [field = '', value = ''] = term.split(/[:<>]/);
  if (field === 'duration') {
    const limitMs = Number(value);
    return term.includes('>') ? (run) => run.durationMs > limitMs : (run) => run.durationMs < limitMs;
  }
  const values = new Set(value.split('|'));
  return field === 'status' ? (run) => values.has(run.status) : (run) => values.has(run.task);
}
