import process from 'node:process';

import { dumpProcess } from '../inspect/dump/dump.js';
import { dumpGroup } from '../inspect/dump/dump-group.js';
import { dumpLines } from '../terminal/dump-view.js';
import { printableJson, printableLines } from '../terminal/line.js';
import { printLines } from '../terminal/output.js';
import { styleFor } from '../terminal/stream-style.js';

export interface DumpCommandOptions {
  readonly all?: true;
  readonly json?: true;
  readonly timeout: number;
  readonly color: boolean;
}

/** Prints where all threads of a process are; with `--all`, also those of the processes below it. */
export async function dump(pid: number, { all, json, timeout, color }: DumpCommandOptions): Promise<void> {
  const options = { timeoutMs: timeout, onWait: say };
  const dumps = all ? await dumpGroup(pid, { ...options, onRefused: sayRefused }) : [await dumpProcess(pid, options)];
  const style = styleFor(process.stdout, color)();
  const lines = json
    ? [printableJson(all ? dumps : dumps[0])]
    : dumps.flatMap((result, i) => [...(i === 0 ? [] : ['']), ...dumpLines(result, style)]);
  printLines(lines);
}

function say(message: string): void {
  process.stderr.write(printableLines(`loopwatch ${message}\n`));
}

function sayRefused(pid: number, reason: string): void {
  say(`Process ${pid}: ${reason}`);
}
