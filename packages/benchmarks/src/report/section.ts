/** The title of a table, and the table. */
export interface Section {
  readonly title: string;
  readonly table: string;
  /** What has to be said below the table. */
  readonly note?: string;
}
