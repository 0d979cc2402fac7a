import type { Part } from '../options.ts';

/** One table of the report. */
export interface Section {
  readonly title: string;
  /** Whose results are in the table. */
  readonly parts: readonly Part[];
  readonly table: string;
  /** A note below the table. */
  readonly note?: string;
}
