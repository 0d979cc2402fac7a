import process from 'node:process';

import { assertProcessesShown, commandLineOf, isWatched, nodeProcesses } from '../inspect/process/processes.js';
import { printableJson } from '../terminal/line.js';
import { printLines } from '../terminal/output.js';
import { listColumns, processLines } from '../terminal/process-list.js';
import { styleFor } from '../terminal/stream-style.js';

export interface PsOptions {
  readonly json?: true;
  readonly color: boolean;
}

/** Prints this user's Node.js processes. */
export function ps({ json, color }: PsOptions): void {
  assertProcessesShown();
  const rows = nodeProcesses().map((info) => ({
    pid: info.pid,
    ageMs: info.ageMs,
    cpuMs: info.cpuMs,
    watched: isWatched(info),
    command: commandLineOf(info),
  }));
  if (json) {
    printLines([printableJson(rows)]);
    return;
  }
  const style = styleFor(process.stdout, color)();
  printLines(processLines(rows, { ...style, columns: listColumns(style.columns, process.env) }));
}
