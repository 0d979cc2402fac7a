import process from 'node:process';

import { dumpProcess } from '../inspect/dump.js';
import { dumpLines } from '../terminal/dump-view.js';
import { styleFor } from '../terminal/stream-style.js';

export interface DumpCommandOptions {
  readonly json?: true;
  readonly timeout: number;
  readonly color: boolean;
}

/** Prints where all threads of a process are. */
export async function dump(pid: number, { json, timeout, color }: DumpCommandOptions): Promise<void> {
  const result = await dumpProcess(pid, {
    timeoutMs: timeout,
    onWait: (message) => process.stderr.write(`loopwatch ${message}\n`),
  });
  const lines = json ? [JSON.stringify(result, undefined, 2)] : dumpLines(result, styleFor(process.stdout, color)());
  process.stdout.write(`${lines.join('\n')}\n`);
}
