import { adviceText, kindOfStack } from '../advice/culprit-kind.js';
import { roundedMs, subjectText } from '../blocks/sentence.js';
import { formatPlace } from '../text/place.js';
import { type DumpFrame, isBlocked, isOfApplication, type ProcessDump } from './dump.js';

/**
 * The sentence about a process that is blocked now: `createSpans (src/runs/trace-view.ts:17) blocks the main thread now,
 * for at least 210 ms, in GET /runs/:runId/trace. May be a nested scan: https://….` Undefined if no thread is blocked
 * in code that is known.
 */
export function dumpSentence({ threads }: ProcessDump, directory?: string): string | undefined {
  const blocked = threads.filter(isBlocked).sort((a, b) => b.atLeastMs - a.atLeastMs);
  const thread = blocked.find(({ threadId }) => threadId === 0) ?? blocked[0];
  const culprit = thread && culpritOf(thread.stack);
  if (!culprit) return undefined;
  const { functionName } = culprit;
  const subject = subjectText({ functionName, place: formatPlace(culprit, directory), cause: 'javascript' });
  const who = thread.threadId === 0 ? 'the main thread' : `worker ${thread.threadId} ${thread.threadName}`;
  const request = thread.request ? `, in ${thread.request.name}` : '';
  const kind = kindOfStack(thread.stack.map((frame) => frame.functionName).reverse(), functionName);
  const advice = kind === undefined ? '' : ` ${adviceText(kind)}`;
  const pause = thread.mayBePaused ? ', or a debugger has paused it there' : '';
  return `${subject} blocks ${who} now${pause}, for at least ${roundedMs(thread.atLeastMs)}${request}.${advice}`;
}

/**
 * The deepest named function of the application, else of a dependency: anonymous callbacks belong to their caller. A
 * function that awaits comes before a dependency that runs for it, as in endless microtasks.
 */
function culpritOf(stack: readonly DumpFrame[]): DumpFrame | undefined {
  const named = stack.filter(({ functionName, filePath }) => functionName !== '' && filePath !== '');
  return named.find(isOfApplication) ?? named.find(({ filePath }) => !filePath.startsWith('node:'));
}
