import process from 'node:process';

import { isOfApplication } from '../../model/processes/dump.js';
import { formatMs, plural } from '../../model/text/format.js';
import { formatPlace } from '../../model/text/place.js';
import type { AttachedProcess } from '../inspect/attach/attach.js';
import type { Begun } from '../inspect/attach/attach-connections.js';
import { STOPPED_TEXT } from '../inspect/inspector/stop-and-ask.js';
import { PREFIX } from '../terminal/output.js';

/** Functions that are named of a block that lasts: the one on top may be a small helper of the one that loops. */
const MAX_PLACES = 3;

export const INSPECTOR_HANGS_TEXT = 'Its inspector stays open until its event loop iterates again.';

/** Its block is known as far as it has been reported, which may be not at all. */
export function stillBlocked(pid: number, innerPid?: number): string {
  return (
    `Process ${nameOf(pid, innerPid)} is still blocked, or stopped. The summary has a block that lasts only as far as ` +
    `the process has reported it. Where it is now: loopwatch dump ${pid}`
  );
}

/** The id that the user knows, and in a container that of the container. */
export function nameOf(pid: number, innerPid = pid): string {
  return pid === innerPid ? String(pid) : `${pid} (${innerPid} in its container)`;
}

/** `for`: ms; undefined until a signal; `threshold` in ms. */
export function welcome(
  attached: AttachedProcess,
  begun: Begun,
  { for: forMs, threshold }: { readonly for?: number; readonly threshold: number },
): string {
  const { main, inspector, isBlocked, wasStopped } = attached;
  const until = forMs === undefined ? 'until Ctrl+C' : `for ${formatMs(forMs)}`;
  const lines = [
    `Attached to process ${nameOf(attached.pid, attached.innerPid)}: watches its main thread${workersText(begun)} ${until}, for blocks of at least ${threshold} ms.`,
    ...(isBlocked ? [blockedNow(main)] : []),
    ...(begun.isLate ? [lateText(attached.pid)] : []),
    ...(wasStopped ? [STOPPED_TEXT] : []),
    ...(inspector === 'was_open' ? ['Its inspector was open before, and stays open.'] : []),
    ...(inspector === 'hangs' ? [INSPECTOR_HANGS_TEXT] : []),
  ];
  return lines.join(`\n${PREFIX}`);
}

/** Of a block that has begun after the process was looked at, and before its instrumentation has started. */
function lateText(pid: number): string {
  return (
    'Its main thread has not answered since: it is in a block that has begun meanwhile, which is not reported. It is ' +
    `watched from when its event loop iterates again. Where it is now: loopwatch dump ${pid}`
  );
}

function workersText({ workers, pending }: Begun): string {
  if (pending > 0) return ` and, so far, ${workers} of ${plural(workers + pending, 'worker thread')}`;
  return workers === 0 ? '' : ` and ${plural(workers, 'worker thread')}`;
}

function blockedNow({ stack, mayBePaused }: AttachedProcess['main']): string {
  const frames = stack.some(isOfApplication) ? stack.filter(isOfApplication) : stack;
  const places = frames
    .slice(0, MAX_PLACES)
    .map((frame) => `${frame.functionName || '<anonymous>'} ${formatPlace(frame, process.cwd())}`);
  const where = places.length === 0 ? '' : `, in ${places.join(', called by ')}`;
  const how = mayBePaused ? 'is blocked, or paused by a debugger' : 'is blocked';
  return (
    `Its main thread ${how}${where}. Of that block, the time from now on counts; all of it where the program has the ` +
    'instrumentation itself.'
  );
}

export function endText(pid: number, innerPid: number | undefined, exitCode: number | undefined): string {
  const how = exitCode === undefined ? 'ended by a signal or a crash' : `exited with code ${exitCode}`;
  return `Process ${nameOf(pid, innerPid)} has ${how}.`;
}

export function workerProblemText(
  pid: number,
  innerPid: number | undefined,
  threadId: number,
  problem: string,
): string {
  return `Worker thread ${threadId} of process ${nameOf(pid, innerPid)} is not watched: ${problem}`;
}
