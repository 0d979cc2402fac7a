import { setTimeout as sleep } from 'node:timers/promises';

import type { ProcessDump } from '../../../model/processes/dump.js';
import { Refusal } from '../../platform/refusal.js';
import { mayBeOpen, readExisting } from '../process/checks.js';
import { nodeProcessesUnder } from '../process/processes.js';
import { type DumpOptions, dumpProcess } from './dump.js';

export interface DumpGroupOptions extends DumpOptions {
  /** Called with why a process cannot be asked. */
  onRefused(pid: number, reason: string): void;
}

/** For how long processes whose port is taken are tried again, ms, and how often. */
const RETRY_MS = 5000;
const POLL_MS = 100;

/**
 * Dumps a process and all its descendants that are Node.js, one after the other: all open their inspector on the same
 * port. One that was blocked keeps it until its event loop iterates, so the others are tried again for a while.
 */
export async function dumpGroup(pid: number, options: DumpGroupOptions): Promise<ProcessDump[]> {
  const dumps = new Map<number, ProcessDump>();
  readExisting(pid);
  const infos = nodeProcessesUnder(pid);
  const order = infos.map((info) => info.pid);
  const wasClosed = new Set(infos.filter((info) => !mayBeOpen(info)).map((info) => info.pid));
  let waiting: readonly number[] = order;
  let deadline = Infinity;
  let firstProblem: Error | undefined;
  while (waiting.length > 0) {
    const postponed: number[] = [];
    for (const each of waiting) {
      try {
        dumps.set(each, await dumpProcess(each, { ...options, wasClosed: wasClosed.has(each) }));
      } catch (error) {
        const problem = error instanceof Error ? error : new Error(String(error));
        if (problem instanceof Refusal && problem.isTemporary && performance.now() < deadline) {
          postponed.push(each);
        } else {
          firstProblem ??= problem;
          options.onRefused(each, problem.message);
        }
      }
    }
    waiting = postponed;
    if (waiting.length > 0) {
      if (deadline === Infinity) {
        deadline = performance.now() + RETRY_MS;
        options.onWait(`Waits up to ${RETRY_MS / 1000} s for ${waiting.length} of ${order.length} processes.`);
      }
      await sleep(POLL_MS);
    }
  }
  if (dumps.size > 0) return order.flatMap((each) => dumps.get(each) ?? []);
  throw firstProblem ?? new Refusal(`a Node.js process with the id ${pid}, or below it`, 'none', 'See: loopwatch ps');
}
