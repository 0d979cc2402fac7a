import process from 'node:process';

import { diagnose } from '../doctor/diagnose.js';
import { diagnosisLines } from '../terminal/diagnosis-view.js';
import { printableJson } from '../terminal/line.js';
import { printLines } from '../terminal/output.js';
import { styleFor } from '../terminal/stream-style.js';

export interface DoctorOptions {
  readonly json?: true;
  readonly color: boolean;
}

/** Prints what is wrong with a set-up. The exit code is 1 where something is. */
export async function doctor(pid: number | undefined, version: string, { json, color }: DoctorOptions): Promise<void> {
  const diagnosis = await diagnose(pid, version);
  const lines = json ? [printableJson(diagnosis)] : diagnosisLines(diagnosis, styleFor(process.stdout, color)());
  printLines(lines);
  if (diagnosis.findings.length > 0) process.exitCode = 1;
}
