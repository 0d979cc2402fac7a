import { readFileSync } from 'node:fs';
import path from 'node:path';

import { entries, read } from '../../platform/proc-files.js';
import { parseLimit, parsePidsGroup, parseSizeKb, parseStatus } from '../../platform/proc-text.js';
import { Refusal } from '../../platform/refusal.js';
import { cgroupOf, type ProcessInfo, threadIdsOf } from './processes.js';

/*
 * Node.js aborts when it cannot create the thread of its inspector, or cannot open the descriptors of that thread's event
 * loop. So a process that is near a limit gets no signal.
 */

/** What Node.js opens for its inspector, a connection and a session, with some to spare for the program. */
const DESCRIPTORS_OF_INSPECTOR = 16;
/** What the agent opens in the main thread and in its watchdog, and in each worker thread. */
const DESCRIPTORS_OF_AGENT = 16;
const DESCRIPTORS_IN_THREAD = 2;
/** Address space, MB: a thread reserves it, hardly any of it is used. Measured: 140 to 330, with the agent 670 to 990. */
const ADDRESS_SPACE_MB: Readonly<Record<AskingCommand, number>> = { dump: 512, attach: 1280 };
/** The inspector has one thread, the agent another one. */
const THREADS = 4;

export type AskingCommand = 'attach' | 'dump';

/** Throws where the process may not open as many descriptors, or create as many threads, as are needed. */
export function checkLimits(info: ProcessInfo, command: AskingCommand): void {
  checkDescriptors(info, command);
  checkAddressSpace(info, command);
  const left = Math.min(...threadsLeft(info));
  if (left >= THREADS) return;
  throw new Refusal(
    `a process that can create ${THREADS} more threads`,
    `one that can create ${Math.max(0, left)}, by the limit of its user or of its control group`,
    'It gets no signal: Node.js ends when it cannot create the thread of its inspector. Raise the limit: ' +
      'ulimit -u, TasksMax of systemd, --pids-limit of a container',
    { isTemporary: true },
  );
}

function checkDescriptors({ pid }: ProcessInfo, command: AskingCommand): void {
  const limit = limitOf(pid, 'open files');
  // A limit that was lowered later leaves those that were open above it.
  const used = entries(`${pid}/fd`).filter((descriptor) => Number(descriptor) < limit).length;
  const ofAgent = command === 'dump' ? 0 : DESCRIPTORS_OF_AGENT + DESCRIPTORS_IN_THREAD * threadIdsOf(pid).length;
  const needed = DESCRIPTORS_OF_INSPECTOR + ofAgent;
  if (limit - used >= needed) return;
  throw new Refusal(
    `a process that can open ${needed} more descriptors`,
    `one that has ${used} of ${limit} open`,
    'It gets no signal: Node.js ends when it cannot open its inspector for that reason. Look what it has open: ' +
      `ls -l /proc/${pid}/fd. Or raise its limit: prlimit --pid ${pid} --nofile=${limit + needed}`,
    { isTemporary: true },
  );
}

/** V8 ends the process where it cannot reserve the memory of a thread. */
function checkAddressSpace({ pid }: ProcessInfo, command: AskingCommand): void {
  const limitMb = limitOf(pid, 'address space') / 2 ** 20;
  const usedMb = parseSizeKb(read(`${pid}/status`) ?? '') / 1024;
  const neededMb = ADDRESS_SPACE_MB[command];
  if (limitMb - usedMb >= neededMb) return;
  throw new Refusal(
    `a process that may reserve ${neededMb} MB more of its address space`,
    `one that has reserved ${Math.round(usedMb)} of ${Math.round(limitMb)} MB`,
    'It gets no signal: Node.js ends when it cannot reserve the memory of another thread. Raise the limit: ulimit -v, ' +
      `LimitAS of systemd, prlimit --pid ${pid} --as=${Math.ceil(usedMb + neededMb) * 2 ** 20}`,
  );
}

/** How many threads each limit leaves. */
function threadsLeft(info: ProcessInfo): number[] {
  const left = [ofUser(info)];
  const [folder, group] = parsePidsGroup(cgroupOf(info.pid));
  for (let current = group; ; current = path.dirname(current)) {
    const [used, max] = ['current', 'max'].map((name) => readNumber(path.join(folder, current, `pids.${name}`)));
    if (used !== undefined && max !== undefined) left.push(max - used);
    if (path.dirname(current) === current) return left;
  }
}

/** The limit does not hold for root. */
function ofUser({ pid, userId }: ProcessInfo): number {
  const limit = userId === 0 ? Infinity : limitOf(pid, 'processes');
  if (limit === Infinity) return Infinity;
  const ofSameUser = entries('').filter(
    (name) => /^\d+$/.test(name) && parseStatus(read(`${name}/status`) ?? '').userId === userId,
  );
  return limit - ofSameUser.reduce((sum, name) => sum + threadIdsOf(Number(name)).length, 0);
}

function limitOf(pid: number, name: string): number {
  return parseLimit(read(`${pid}/limits`) ?? '', name);
}

function readNumber(file: string): number | undefined {
  try {
    const number = Number(readFileSync(file, 'utf8'));
    return Number.isFinite(number) ? number : undefined; // `max`
  } catch {
    return undefined;
  }
}
