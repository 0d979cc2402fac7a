import { alignedLines, type TextColumn } from './aligned.js';
import type { LineStyle } from './block-line.js';
import { renderLine } from './line.js';

export interface ProcessRow {
  readonly pid: number;
  readonly ageMs: number;
  readonly cpuMs: number;
  readonly watched: boolean;
  readonly command: string;
}

const COLUMNS: readonly TextColumn[] = [
  { title: 'PID', align: 'right' },
  { title: 'AGE', align: 'right' },
  { title: 'CPU', align: 'right' },
  { title: 'WATCHED', align: 'left' },
  { title: 'COMMAND', align: 'left' },
];

/** Width of a line where no terminal says it: a command line can have thousands of characters. */
const COLUMNS_WITHOUT_TERMINAL = 400;

/** The width of the terminal, else that of the variable `COLUMNS`, as `ps` reads it, else a bounded one. */
export function listColumns(columns: number, { COLUMNS = '' }: NodeJS.ProcessEnv): number {
  if (Number.isFinite(columns)) return columns;
  return /^[1-9]\d{1,5}$/.test(COLUMNS) ? Number(COLUMNS) : COLUMNS_WITHOUT_TERMINAL;
}

/** The processes as a table, whose lines are cut at the width; one sentence when there are none. */
export function processLines(rows: readonly ProcessRow[], { colors, columns }: LineStyle): string[] {
  if (rows.length === 0) return ['This user has no other Node.js process.'];
  const cells = rows.map(({ pid, ageMs, cpuMs, watched, command }) => [
    String(pid),
    formatAge(ageMs),
    formatAge(cpuMs),
    watched ? 'yes' : 'no',
    command,
  ]);
  const { header, lines } = alignedLines(COLUMNS, cells);
  return [
    renderLine([{ text: header, style: colors.dim }], columns),
    ...lines.map((text) => renderLine([{ text }], columns)),
  ];
}

/** `12 s`, `3 min`, `5 h`, `12 d`. */
function formatAge(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
