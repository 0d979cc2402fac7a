import process from 'node:process';

/** Types of `process.getActiveResourcesInfo()` that are tasks of libuv's pool. Hashing and compression are not listed. */
const FILE_TASK = 'FSReq';
const LOOKUP_TASK = /^Get(Addr|Name)InfoReqWrap$/;
/** System calls in which a thread of the pool serves a lookup; in others that have a name, it serves a file task. */
const LOOKUP_CALL = /^(poll|ppoll|connect|send|recv)/;
const NO_FILE_CALL = /^(cpu|futex|nanosleep|clock_nanosleep|wait4|system call )/;

/** Numbers of tasks of this thread that wait for the pool or run there, by type. */
export type PoolTasks = ReadonlyMap<string, number>;

export function activePoolTasks(): PoolTasks {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) {
    if (type.startsWith(FILE_TASK) || LOOKUP_TASK.test(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return counts;
}

/** The reading with more tasks. */
export function moreTasks(a: PoolTasks | undefined, b: PoolTasks): PoolTasks {
  return a && countOf(a) > countOf(b) ? a : b;
}

function countOf(tasks: PoolTasks): number {
  let count = 0;
  for (const ofType of tasks.values()) count += ofType;
  return count;
}

/** The tasks that wait, as `Type×N`: without as many as the threads of the pool work on. `holders` is `cpu×4`, …. */
export function queuedTasks(tasks: PoolTasks, holders: readonly string[]): string[] {
  let runningLookups = threadsIn(holders, (call) => LOOKUP_CALL.test(call));
  let runningFiles = threadsIn(holders, (call) => !LOOKUP_CALL.test(call) && !NO_FILE_CALL.test(call));
  const queued: string[] = [];
  for (const [type, count] of tasks) {
    const isLookup = LOOKUP_TASK.test(type);
    const running = Math.min(count, isLookup ? runningLookups : runningFiles);
    if (isLookup) runningLookups -= running;
    else runningFiles -= running;
    if (count > running) queued.push(`${type}×${count - running}`);
  }
  return queued;
}

function threadsIn(holders: readonly string[], isMeant: (call: string) => boolean): number {
  return holders
    .map((holder) => holder.split('×'))
    .reduce((sum, [call = '', count]) => (isMeant(call) ? sum + Number(count) : sum), 0);
}
