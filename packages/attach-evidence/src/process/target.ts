import { setTimeout as sleep } from 'node:timers/promises';

import { nodeBinary } from '@loopwatch/node-binaries';
import type { NodeMajor } from '@loopwatch/node-binaries';

import { hangProgram } from '../paths.ts';
import { Child } from './child.ts';

/** From `ready` to the start of the block. */
const STARTS_AFTER_MS = 400;

/** Starts the program that blocks in a given way. It has a port of its own for its inspector. */
export async function startTarget(major: NodeMajor, way: string, killAfterMs?: number): Promise<Child> {
  const target = new Child(
    nodeBinary(major),
    ['--inspect-port=0', hangProgram, way],
    killAfterMs === undefined ? {} : { killAfterMs },
  );
  await target.waitFor(/ready\n/);
  await sleep(STARTS_AFTER_MS);
  return target;
}

/** What the process says of itself: threads, listeners, globals and more. */
export type TargetState = Readonly<Record<string, unknown>>;

export async function stateOf(target: Child): Promise<TargetState> {
  target.clearOutput();
  target.kill('SIGUSR2');
  const [line] = await target.waitFor(/\{.*\}\n/);
  return JSON.parse(line) as TargetState;
}

const STATE_TIMEOUT_MS = 5000;

/** Names of what differs from an earlier state, after the time that threads need to end. */
export async function changesSince(target: Child, before: TargetState): Promise<string[]> {
  const deadline = performance.now() + STATE_TIMEOUT_MS;
  for (;;) {
    const now = await stateOf(target);
    const changed = Object.keys(before).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
    if (changed.length === 0 || performance.now() > deadline) {
      return changed.map((key) => `${key}: ${JSON.stringify(before[key])} to ${JSON.stringify(now[key])}`);
    }
    await sleep(100);
  }
}
