/** A column of a table in the terminal. */
export interface TextColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** More than its title and its texts need. */
  readonly minWidth?: number;
}

/** Spaces between two columns. */
const GAP = '  ';

/**
 * The titles and the rows as lines. A column grows with what is in it: `1 min 55 s` is longer than what most blocks need.
 * A last one that is aligned left stays as it is: it may be long.
 */
export function alignedLines(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
): { readonly header: string; readonly lines: readonly string[] } {
  const widths = columns.map(({ title, minWidth = 0 }, index) =>
    Math.max(minWidth, title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const lineOf = (texts: readonly string[]): string =>
    columns
      .map(({ align }, index) => {
        const text = texts[index] ?? '';
        if (align === 'right') return text.padStart(widths[index] ?? 0);
        return index === columns.length - 1 ? text : text.padEnd(widths[index] ?? 0);
      })
      .join(GAP);
  return { header: lineOf(columns.map(({ title }) => title)), lines: rows.map(lineOf) };
}
