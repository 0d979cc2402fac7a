import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeBinary, workspaceNodeMajor } from '@loopwatch/node-binaries';

import { cliFile } from '../../paths.ts';
import { Child } from '../../process/child.ts';
import { listeningPorts } from '../../process/listening.ts';
import { changesSince, stateOf } from '../../process/target.ts';
import type { TargetState } from '../../process/target.ts';
import type { ComparedProgram } from './programs.ts';

export interface Finding {
  /** The tool names the function, with its line. */
  readonly isNamed: boolean;
  readonly tookMs: number;
  /** The port of its inspector is open when the tool has ended and a second has passed. */
  readonly leavesInspectorOpen: boolean;
  /** What is different in the process; undefined for one that hangs, which cannot say it. */
  readonly changed: readonly string[] | undefined;
  readonly isAlive: boolean;
}

export interface Comparison {
  readonly program: string;
  readonly hangs: boolean;
  readonly culprit: string;
  readonly loopwatch: Finding;
  readonly detective: Finding;
}

const WATCH_SECONDS = 5;
const SETTLE_MS = 1500;
const INSPECTOR_PORT = 9229;

/** Runs both tools, each on a process of its own. `detective` is the folder of node-loop-detective, installed. */
export async function compare(program: ComparedProgram, detective: string): Promise<Comparison> {
  const seconds = String(WATCH_SECONDS);
  return {
    program: program.label,
    hangs: program.hangs,
    culprit: program.culprit,
    loopwatch: await observe(program, (pid) =>
      program.hangs ? [cliFile, 'dump', pid] : [cliFile, 'attach', '--for', `${seconds}s`, pid],
    ),
    detective: await observe(program, (pid) => [path.join(detective, 'bin/cli.js'), '--duration', seconds, pid]),
  };
}

async function observe(program: ComparedProgram, argsFor: (pid: string) => readonly string[]): Promise<Finding> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'loopwatch-compare-'));
  // With Node's own port for the inspector: node-loop-detective finds no other.
  await using target = new Child(nodeBinary(workspaceNodeMajor), [program.file, program.way]);
  await target.waitFor(/ready\n/);
  await sleep(SETTLE_MS);
  try {
    const before: TargetState | undefined = program.hangs ? undefined : await stateOf(target);
    const startedAt = performance.now();
    const tool = new Child(nodeBinary(workspaceNodeMajor), argsFor(String(target.pid)), { env: { TMPDIR: directory } });
    await tool.exit;
    const tookMs = performance.now() - startedAt;
    await sleep(SETTLE_MS);
    return {
      isNamed: names(tool.output, program.culprit),
      tookMs,
      leavesInspectorOpen: listeningPorts(target.pid).includes(INSPECTOR_PORT),
      changed: before && target.isAlive ? await changesSince(target, before) : undefined,
      isAlive: target.isAlive,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The function's name, and a line of its file within the next two lines of text. */
function names(output: string, culprit: string): boolean {
  return new RegExp(`${culprit}\\b[^\\n]*(?:\\n[^\\n]*){0,2}\\.cjs:\\d+`).test(output);
}
