/** One table of the report. */
export interface Section {
  readonly title: string;
  readonly table: string;
  /** A note below the table. */
  readonly note?: string;
}
